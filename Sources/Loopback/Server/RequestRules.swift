import SwiftletCore
import SwiftletTransport

/// The rules of PROTOCOL-HTTP2 ("Requests") for the headers of a gRPC request. The engine enforces the rules
/// of HTTP/2.
///
/// Servers differ in the violations that they tolerate. A client that is tested against this server works
/// with the strictest of them.
enum RequestRules {
    /// Returns the first rule that the headers break, as a sentence; nil when they break none.
    static func violation(in headers: HeaderList, endStream: Bool) -> String? {
        if endStream {
            return
                "HEADERS carry END_STREAM; an empty DATA frame has to end a request without messages"
        }
        var unseen = required
        var seenOnce: Set<String> = []
        for field in headers.fields {
            let name = headers.name(of: field)
            let value = WireText.bounded(headers.value(of: field))
            unseen.remove(name)
            if single.contains(name), !seenOnce.insert(name).inserted {
                return "'\(name)' occurs twice"
            }
            if let violation = violation(name, value) { return violation }
        }
        return unseen.min().map { "'\($0)' is missing" }
    }

    private static let required: Set = [":method", ":scheme", ":path", "te", "content-type"]

    /// The headers that may occur at most once.
    private static let single = required.union([
        ":authority", "grpc-timeout", "grpc-message-type", "grpc-encoding", "user-agent",
    ])

    /// The headers that are not metadata of the application. `grpc-accept-encoding` may occur several
    /// times, because its value is a list (RFC 9110 §5.3).
    private static let callDefinition = single.union(["grpc-accept-encoding"])

    /// Names with the reserved prefix that gRPC's own libraries send.
    private static let extensions: Set = [
        "grpc-previous-rpc-attempts", "grpc-trace-bin", "grpc-tags-bin",
    ]

    private static func violation(_ name: String, _ value: String) -> String? {
        switch name {
        case ":method" where value != "POST": ":method is '\(value)'; it has to be POST"
        case ":scheme" where value != "http" && value != "https":
            ":scheme is '\(value)'; it has to be http or https"
        case ":path" where !isMethodPath(value):
            ":path is '\(value)'; it has to be /service/method"
        case "content-type" where value.hasSuffix("+"):
            "content-type is '\(value)', with an empty subtype"
        case "grpc-timeout" where !isTimeout(value):
            "grpc-timeout is '\(value)'; it has to be 1 to 8 digits, above zero, and a unit of HMSmun"
        case "grpc-encoding" where value.isEmpty: "grpc-encoding is empty"
        case _ where callDefinition.contains(name): nil
        default: violation(metadata: name, value)
        }
    }

    private static func violation(metadata name: String, _ value: String) -> String? {
        guard name.utf8.allSatisfy(isNameByte) else {
            return "metadata name '\(name)' has a character other than a-z, 0-9, '_', '-' and '.'"
        }
        guard !name.hasPrefix("grpc-") || extensions.contains(name) else {
            return "metadata name '\(name)' has the reserved prefix 'grpc-'"
        }
        guard name.hasSuffix("-bin") else {
            let isText = value.utf8.allSatisfy { (0x20...0x7e).contains($0) }
            return isText ? nil : "metadata '\(name)' has a character that is not printable ASCII"
        }
        // Several values may be joined with commas.
        let isBase64 = value.utf8.split(separator: UInt8(ascii: ",")).allSatisfy {
            Base64.decode($0.drop { $0 == UInt8(ascii: " ") }) != nil
        }
        return isBase64 ? nil : "metadata '\(name)' is not Base64"
    }

    private static func isMethodPath(_ path: String) -> Bool {
        guard path.hasPrefix("/"), let last = path.lastIndex(of: "/") else { return false }
        return path.distance(from: path.startIndex, to: last) > 1 && path.last != "/"
    }

    private static func isTimeout(_ value: String) -> Bool {
        guard let duration = Duration(grpcTimeout: value) else { return false }
        return duration > .zero
    }

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
