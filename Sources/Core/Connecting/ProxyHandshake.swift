import SwiftletTransport

/// The bytes to and from a proxy.
protocol ProxyConnection: ~Copyable {
    func send(_ bytes: [UInt8]) async throws(CandidateFailure)
    /// Receives exactly `count` bytes: the bytes after the proxy's answer belong to the server.
    func receive(_ count: Int) async throws(CandidateFailure) -> [UInt8]
}

/// The exchange that asks a proxy for a connection to a server.
struct ProxyHandshake {
    typealias Failure = CandidateFailure

    let proxy: ProxyServer
    let host: String
    let port: UInt16

    /// Returns when the proxy has connected to the server.
    func perform(over connection: borrowing some ProxyConnection & ~Copyable)
        async throws(Failure)
    {
        switch proxy.kind {
        case .http: try await askHTTP(connection)
        case .socks5: try await askSOCKS(connection)
        }
    }

    private var destination: String {
        let isIPv6 = host.utf8.contains(UInt8(ascii: ":"))
        return "\(isIPv6 ? "[\(host)]" : host):\(port)"
    }
}

// MARK: - HTTP CONNECT (RFC 9110 §9.3.6)

extension ProxyHandshake {
    /// The most bytes before the end of the header fields. A server that sends more is not an HTTP
    /// proxy.
    private static let maxHeadByteCount = 16 << 10

    private func askHTTP(_ connection: borrowing some ProxyConnection & ~Copyable)
        async throws(Failure)
    {
        try await connection.send(connectRequest)
        var byteCount = 0
        var head: [UInt8] = []
        repeat {
            head = []
            while !head.suffix(4).elementsEqual([13, 10, 13, 10]) {
                guard byteCount < Self.maxHeadByteCount else {
                    throw Failure(
                        cause: "the proxy's answer is longer than \(Self.maxHeadByteCount) bytes")
                }
                head += try await connection.receive(1)
                byteCount += 1
            }
        } while try isInformational(head)
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

    /// Whether another response follows this one. Throws if it is a refusal.
    func isInformational(_ head: [UInt8]) throws(Failure) -> Bool {
        // Compared as bytes: see ``WireText``.
        let line = head.prefix { $0 != 13 }
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
        guard words.count >= 2, words[0].starts(with: "HTTP/1.".utf8),
            let status = Int(String(decoding: words[1], as: UTF8.self))
        else {
            throw Failure(cause: "the proxy does not speak HTTP: \(PeerText.clean(line))")
        }
        // RFC 9110 §15.2: informational responses precede the final one. 101 would change the protocol.
        if (100..<200).contains(status), status != 101 { return true }
        guard (200..<300).contains(status) else { throw refusal(PeerText.clean(line)) }
        return false
    }
}

// MARK: - SOCKS version 5 (RFC 1928, RFC 1929)

extension ProxyHandshake {
    private func askSOCKS(_ connection: borrowing some ProxyConnection & ~Copyable)
        async throws(Failure)
    {
        // RFC 1928 §3: version, the number of methods, 0 without log-in, 2 with name and password.
        try await connection.send(proxy.user == nil ? [5, 1, 0] : [5, 2, 0, 2])
        switch (try Self.checkedVersion(await connection.receive(2)))[1] {
        case 0: break
        case 2 where proxy.user != nil: try await logIn(connection)
        default: throw Failure(cause: "the proxy demands a log-in")
        }
        try await connection.send(try socksRequest())
        let reply = try Self.checkedVersion(await connection.receive(4))
        guard reply[1] == 0 else { throw refusal(Self.replyText(reply[1])) }
        let addressByteCount: Int
        switch reply[3] {
        case 1: addressByteCount = 4
        case 4: addressByteCount = 16
        case 3: addressByteCount = Int(try await connection.receive(1)[0])
        default: throw Failure(cause: "the proxy's reply has an unknown type of address")
        }
        // The address and the port where the proxy has bound its side.
        _ = try await connection.receive(addressByteCount + 2)
    }

    private static func checkedVersion(_ bytes: [UInt8]) throws(Failure) -> [UInt8] {
        guard bytes[0] == 5 else { throw Failure(cause: "the proxy does not speak SOCKS 5") }
        return bytes
    }

    private func logIn(_ connection: borrowing some ProxyConnection & ~Copyable)
        async throws(Failure)
    {
        let (user, password) = (Array((proxy.user ?? "").utf8), Array((proxy.password ?? "").utf8))
        try await connection.send(
            [1, UInt8(user.count)] + user + [UInt8(password.count)] + password)
        guard try await connection.receive(2)[1] == 0 else {
            throw Failure(cause: "the proxy refused the log-in")
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

    private func refusal(_ reason: String) -> Failure {
        Failure(cause: "the proxy refused the connection to \(destination): \(reason)")
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
