import SwiftletTransport

/// The exchange that asks a proxy for a connection, without I/O. The bytes after it belong to the
/// server, so each step asks for an exact number of bytes.
struct ProxyHandshake {
    /// What to do next.
    enum Step: Equatable {
        case send([UInt8])
        /// Receive this many bytes and pass them to ``ProxyHandshake/receive(_:)``.
        case receive(Int)
        case connected
    }

    typealias Failure = CandidateFailure

    private enum State {
        /// The current response so far. Informational responses may precede the final one.
        case httpResponse([UInt8], earlierByteCount: Int)
        case socksMethod
        case socksLogin
        case socksReply
        /// Waits for the bound address of the reply, whose length depends on its type.
        case socksAddress
        case socksNameLength
        case ended
    }

    private let proxy: ProxyServer
    private let host: String
    private let port: UInt16
    private var state: State

    init(_ proxy: ProxyServer, host: String, port: UInt16) {
        self.proxy = proxy
        self.host = host
        self.port = port
        state = proxy.kind == .http ? .httpResponse([], earlierByteCount: 0) : .socksMethod
    }

    /// The first bytes to send.
    var greeting: [UInt8] {
        switch proxy.kind {
        case .http: connectRequest
        // RFC 1928 §3: version, the number of methods, 0 without log-in, 2 with name and password.
        case .socks5: proxy.user == nil ? [5, 1, 0] : [5, 2, 0, 2]
        }
    }

    /// The step after the greeting was sent.
    var firstStep: Step { .receive(proxy.kind == .http ? 1 : 2) }

    mutating func receive(_ bytes: [UInt8]) throws(Failure) -> Step {
        switch state {
        case .httpResponse(var head, let earlierByteCount):
            // Releases the state's reference, so that the bytes are not copied for each that arrives.
            state = .ended
            head += bytes
            return try receiveHTTP(head, after: earlierByteCount)
        case .socksMethod: return try receiveMethod(bytes)
        case .socksLogin:
            guard bytes[1] == 0 else { throw Failure(cause: "the proxy refused the log-in") }
            state = .socksReply
            return .send(try socksRequest())
        case .socksReply: return try receiveReply(bytes)
        case .socksNameLength:
            state = .socksAddress
            return .receive(Int(bytes[0]) + 2)
        case .socksAddress:
            state = .ended
            return .connected
        case .ended: return .connected
        }
    }

    /// The step after something was sent.
    var stepAfterSending: Step {
        switch state {
        case .httpResponse: .receive(1)
        case .socksMethod, .socksLogin: .receive(2)
        case .socksReply: .receive(4)
        case .socksAddress, .socksNameLength, .ended: .connected
        }
    }
}

// MARK: - HTTP CONNECT (RFC 9110 §9.3.6)

extension ProxyHandshake {
    /// The most bytes before the end of the header fields. A server that sends more is not an HTTP
    /// proxy.
    private static let maxHeadByteCount = 16 << 10

    private var destination: String {
        let isIPv6 = host.utf8.contains(UInt8(ascii: ":"))
        return "\(isIPv6 ? "[\(host)]" : host):\(port)"
    }

    private var connectRequest: [UInt8] {
        var text = "CONNECT \(destination) HTTP/1.1\r\nHost: \(destination)\r\n"
        if let user = proxy.user {
            let login = Array("\(user):\(proxy.password ?? "")".utf8)
            var encoded = Base64.encode(login)
            // RFC 7617 §2 uses the padded form.
            while encoded.utf8.count % 4 != 0 { encoded += "=" }
            text += "Proxy-Authorization: Basic \(encoded)\r\n"
        }
        return Array((text + "\r\n").utf8)
    }

    private mutating func receiveHTTP(
        _ head: [UInt8], after earlierByteCount: Int
    ) throws(Failure) -> Step {
        let byteCount = earlierByteCount + head.count
        guard byteCount < Self.maxHeadByteCount else {
            throw Failure(
                cause: "the proxy's answer is longer than \(Self.maxHeadByteCount) bytes")
        }
        guard head.suffix(4).elementsEqual([13, 10, 13, 10]) else {
            state = .httpResponse(head, earlierByteCount: earlierByteCount)
            return .receive(1)
        }
        // Compared as bytes: see ``WireText``.
        let line = head.prefix { $0 != 13 }
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
        guard words.count >= 2, words[0].starts(with: "HTTP/1.".utf8),
            let status = Int(String(decoding: words[1], as: UTF8.self))
        else {
            throw Failure(cause: "the proxy does not speak HTTP: \(PeerText.clean(line))")
        }
        // RFC 9110 §15.2: informational responses precede the final one. 101 would change the protocol.
        if (100..<200).contains(status), status != 101 {
            state = .httpResponse([], earlierByteCount: byteCount)
            return .receive(1)
        }
        state = .ended
        guard (200..<300).contains(status) else {
            throw Failure(
                cause: "the proxy refused the connection to \(destination): "
                    + PeerText.clean(line))
        }
        return .connected
    }
}

// MARK: - SOCKS version 5 (RFC 1928, RFC 1929)

extension ProxyHandshake {
    private mutating func receiveMethod(_ bytes: [UInt8]) throws(Failure) -> Step {
        guard bytes[0] == 5 else { throw Failure(cause: "the proxy does not speak SOCKS 5") }
        switch bytes[1] {
        case 0:
            state = .socksReply
            return .send(try socksRequest())
        case 2 where proxy.user != nil:
            state = .socksLogin
            let (user, password) = (
                Array((proxy.user ?? "").utf8), Array((proxy.password ?? "").utf8)
            )
            return .send(
                [1, UInt8(user.count)] + user + [UInt8(password.count)] + password)
        default: throw Failure(cause: "the proxy demands a log-in")
        }
    }

    private func socksRequest() throws(Failure) -> [UInt8] {
        let address: [UInt8]
        switch SocketAddress(host: host, port: port) {
        case .ipv4(let number, _)?:
            address = [1] + (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
        case .ipv6(let bytes, _, _)?: address = [4] + (0..<16).map { bytes[$0] }
        // The proxy looks the name up.
        default:
            // RFC 1928 §5: the length is one byte. A part of the name would be another server's.
            guard let count = UInt8(exactly: host.utf8.count) else {
                throw Failure(cause: "the server's name is longer than 255 bytes")
            }
            address = [3, count] + host.utf8
        }
        return [5, 1, 0] + address + [UInt8(port >> 8), UInt8(port & 0xff)]
    }

    private mutating func receiveReply(_ bytes: [UInt8]) throws(Failure) -> Step {
        guard bytes[0] == 5 else { throw Failure(cause: "the proxy does not speak SOCKS 5") }
        guard bytes[1] == 0 else {
            throw Failure(
                cause: "the proxy refused the connection to \(destination): "
                    + Self.replyText(bytes[1]))
        }
        switch bytes[3] {
        case 1:
            state = .socksAddress
            return .receive(4 + 2)
        case 4:
            state = .socksAddress
            return .receive(16 + 2)
        case 3:
            state = .socksNameLength
            return .receive(1)
        default: throw Failure(cause: "the proxy's reply has an unknown type of address")
        }
    }

    private static func replyText(_ code: UInt8) -> String {
        let texts = [
            1: "general failure", 2: "not allowed", 3: "network unreachable",
            4: "host unreachable", 5: "connection refused", 6: "time to live expired",
            7: "command not supported", 8: "type of address not supported",
        ]
        return texts[Int(code)] ?? "code \(code)"
    }
}
