import SwiftletCore
import SwiftletTransport

/// The server that the cookie of a call names (A55), and its cluster (A60).
struct SessionServer: Hashable, Sendable {
    /// The most addresses of a cookie that are looked up. A cookie of the program's caller may have any number.
    private static let maxAddressCount = 64

    /// The addresses of the server, separated by commas, the preferred one first. Empty for no server.
    let list: ByteText
    /// Empty if the cookie has none.
    let cluster: ByteText

    static let none = SessionServer(list: "", cluster: "")

    init(list: ByteText, cluster: ByteText) {
        self.list = list
        self.cluster = cluster
    }

    /// - Parameter text: The decoded value of a cookie.
    fileprivate init(_ text: [UInt8]) {
        let parts = text.split(separator: UInt8(ascii: ";"), maxSplits: 1).map { ByteText($0) }
        let hasList = text.first != UInt8(ascii: ";")
        list = hasList ? parts.first ?? "" : ""
        cluster = (hasList ? parts.dropFirst().first : parts.first) ?? ""
    }

    /// Each address as a text.
    var addresses: [ByteText] {
        list.string.utf8.split(separator: UInt8(ascii: ",")).prefix(Self.maxAddressCount)
            .map { ByteText($0) }
    }

    fileprivate var bytes: [UInt8] { Array("\(list.string);\(cluster.string)".utf8) }
}

extension ByteText {
    fileprivate init(_ bytes: some Collection<UInt8>) {
        self.init(String(decoding: bytes, as: UTF8.self))
    }
}

extension SessionCookie {
    /// Whether calls of a method have the cookie (RFC 6265 §5.1.4).
    func isSent(to path: String) -> Bool {
        let (own, path) = (self.path.string.utf8, path.utf8)
        guard !own.isEmpty else { return true }
        guard path.starts(with: own) else { return false }
        let slash = UInt8(ascii: "/")
        return path.count == own.count || own.last == slash
            || path.dropFirst(own.count).first == slash
    }

    /// The server that a call's cookie names. A cookie that cannot be read names none.
    func server(of metadata: Metadata) -> SessionServer {
        for element in metadata where element.name.hasBytes(of: "cookie") {
            guard case .text(let text) = element.value else { continue }
            for pair in text.utf8.split(separator: UInt8(ascii: ";")) {
                let pair = pair.drop { $0 == UInt8(ascii: " ") }
                guard let equals = pair.firstIndex(of: UInt8(ascii: "=")),
                    pair[..<equals].elementsEqual(name.string.utf8)
                else { continue }
                // The first one counts, as in C++.
                let value = pair[pair.index(after: equals)...]
                return Base64.decode(value).map { SessionServer($0) } ?? .none
            }
        }
        return .none
    }

    /// The value of the header `set-cookie` for a server.
    func header(for server: SessionServer) -> String {
        // With padding, which Envoy demands.
        let value = Base64.encode(server.bytes)
        let padding = String(repeating: "=", count: (4 - value.utf8.count % 4) % 4)
        var text = "\(name.string)=\(value)\(padding); HttpOnly"
        if !path.isEmpty { text += "; Path=\(path.string)" }
        if lifetime > .zero { text += "; Max-Age=\(lifetime.components.seconds)" }
        return text
    }
}
