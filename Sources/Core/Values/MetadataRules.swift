import SwiftletTransport
import Synchronization

/// The rules for names and values of metadata (gRPC over HTTP/2, "Custom-Metadata").
package enum MetadataRules {
    /// The rule that the pair breaks; nil if it is legal. The name is in lower case.
    package static func problem(_ name: String, _ value: Metadata.Content) -> String? {
        guard !name.isEmpty else { return "a metadata name is empty" }
        guard name.utf8.allSatisfy(isNameByte) else {
            return "metadata name '\(name)': only a-z, 0-9, '-', '_' and '.' are allowed"
        }
        guard !isReserved(name) else {
            return "metadata name '\(name)' is reserved"
        }
        switch (value, name.hasSuffix("-bin")) {
        case (.bytes, true):
            return nil
        case (.bytes, false):
            return "metadata name '\(name)': a name for bytes must end in '-bin'"
        case (.text, true):
            return "metadata name '\(name)': a name that ends in '-bin' is for bytes, not text"
        case (.text(let text), false):
            guard text.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) else {
                return "metadata '\(name)': only printable ASCII is allowed in a text value"
            }
            return nil
        }
    }

    /// Headers of the protocol, which the application must not set.
    private static let reserved: Set<String> = [
        "te", "content-type", "user-agent", "host", "connection", "keep-alive",
        "proxy-connection", "transfer-encoding", "upgrade", "content-length",
    ]

    /// Whether the name belongs to the protocol.
    package static func isReserved(_ name: String) -> Bool {
        name.hasPrefix("grpc-") || reserved.contains(name)
    }

    /// Whether values of the header must not appear in logs and descriptions: it authenticates the caller, or its
    /// name says that it is secret. The name is ASCII in lower case.
    @inline(never)  // Has many callers.
    package static func isHidden(_ name: String) -> Bool {
        // Bytes of an unknown kind cannot be judged, and are often tokens.
        hasSecretName(name)
            || name.utf8.suffix(4).elementsEqual("-bin".utf8) && !known.contains(name)
    }

    /// Whether the name says that the value is secret.
    @inline(never)  // Has many callers.
    package static func hasSecretName(_ name: String) -> Bool {
        isSecret(name) || secretParts.contains { name.containsBytes(of: $0) }
            || added.withLock { $0.contains(name) }
    }

    /// Names in lower case that the program has added to those that are hidden.
    private static let added = Mutex<Set<String>>([])

    static func hide(_ names: [String]) { added.withLock { $0.formUnion(names) } }

    private static let secretParts = [
        "token", "secret", "password", "authorization", "cookie", "credential", "api-key", "apikey",
    ]

    /// The headers with bytes that gRPC itself defines.
    private static let known: Set<String> = [
        "grpc-status-details-bin", "grpc-trace-bin", "grpc-tags-bin", "grpc-server-stats-bin",
        LoadReport.trailerName,
    ]

    /// Whether values of the header must not appear in compression tables.
    static func isSecret(_ name: String) -> Bool { secrets.contains(name) }

    private static let secrets: Set<String> = [
        "authorization", "proxy-authorization", "cookie", "set-cookie",
    ]

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default:
            false
        }
    }
}
