import Foundation
import TestSupport
import Testing

@testable import SwiftletTransport

/// The `openssl` command at the other end of a TCP connection. This peer uses neither the library's
/// session type nor the in-memory connection of the other tests.
@Suite(
    "Against openssl s_server",
    .enabled(if: TLSFixtures.isAvailable, "OpenSSL is not installed"),
    .enabled(if: TLSServerProcess.isAvailable, "the openssl command is not installed"))
struct TLSOpenSSLPeerTests {
    @Test("a session sends and reads over a socket", arguments: ["-tls1_2", "-tls1_3"])
    func overTCP(version: String) throws {
        let server = try TLSServerProcess(options: [version, "-alpn", "h2", "-rev"])
        defer { server.stop() }
        var connection = try TLSConnection.open(to: server.address)
        try connection.handshake()
        #expect(connection.session.negotiatedProtocol == "h2")
        // The server sends every line back, reversed.
        try connection.send(Array("swiftlet\n".utf8))
        #expect(try connection.receive(9) == Array("teltfiws\n".utf8))
    }

    @Test("a session without a common protocol fails with an error that says so")
    func noProtocol() throws {
        let server = try TLSServerProcess(options: ["-rev"])
        defer { server.stop() }
        var connection = try TLSConnection.open(to: server.address)
        let error = #expect(throws: TLSError.self) { try connection.handshake() }
        #expect(error?.kind == .applicationProtocol)
    }

    @Test(
        "a session without the certificate that the server demands fails with an error that says so",
        arguments: ["-tls1_2", "-tls1_3"])
    func noClientCertificate(version: String) throws {
        let server = try TLSServerProcess(options: [
            version, "-alpn", "h2", "-rev", "-CAfile", TLSFixtures.path("ca.pem"), "-Verify", "1",
        ])
        defer { server.stop() }
        var connection = try TLSConnection.open(to: server.address)
        let error = #expect(throws: TLSError.self) {
            try connection.handshake()
            // With TLS 1.3, the server refuses after the client's handshake.
            _ = try connection.receive(1)
        }
        #expect(
            error?.message.hasSuffix(
                "; the server asked for a client certificate, and none is configured") == true,
            "\(error as Any)")
    }

    @Test("a session refuses an expired certificate, and the error says so")
    func expired() throws {
        let server = try TLSServerProcess(
            certificate: "expired", options: ["-alpn", "h2", "-rev"])
        defer { server.stop() }
        var connection = try TLSConnection.open(to: server.address)
        let error = #expect(throws: TLSError.self) { try connection.handshake() }
        #expect(error == TLSError(.certificate, "certificate has expired"))
    }
}

/// A session over a socket, one blocking step at a time.
struct TLSConnection: ~Copyable {
    let session: any TLSSession
    private let socket: Socket
    private var received = ReceiveBuffer()
    private var plaintext = ReceiveBuffer()
    private var outgoing = GatherList()

    static func open(to address: SocketAddress) throws -> TLSConnection {
        let session = try OpenSSLContext(TLSFixtures.client()).makeSession(host: "localhost")
        let socket = try Socket.connected(to: address)
        return TLSConnection(session, socket)
    }

    private init(_ session: any TLSSession, _ socket: consuming Socket) {
        self.session = session
        self.socket = socket
    }

    mutating func handshake() throws {
        while true {
            let progress = try session.handshake(&received, sending: &outgoing)
            try flush()
            if progress == .done { return }
            try fill()
        }
    }

    mutating func send(_ bytes: [UInt8]) throws {
        var list = GatherList()
        list.append(copying: bytes)
        try session.write(&list, sending: &outgoing)
        try flush()
    }

    mutating func receive(_ count: Int) throws -> [UInt8] {
        while true {
            let outcome = try session.read(&received, into: &plaintext, sending: &outgoing)
            try flush()
            if plaintext.count >= count {
                return plaintext.withUnread { [UInt8](copying: $0) }
            }
            if outcome == .needsMore { try fill() }
        }
    }

    private mutating func flush() throws {
        while !outgoing.isEmpty {
            if try socket.write(gathering: &outgoing) == .wouldBlock {
                try waitFor(socket.descriptor, CInt(POLLOUT))
            }
        }
    }

    private mutating func fill() throws {
        while try received.read(from: socket) == .wouldBlock {
            try waitFor(socket.descriptor, CInt(POLLIN))
        }
        if received.isEmpty, let error = session.endOfTransport() { throw error }
    }
}

/// `openssl s_server` on a port that it chooses.
final class TLSServerProcess {
    private static var command: String? {
        ["/usr/bin/openssl", "/usr/local/bin/openssl", "/opt/homebrew/bin/openssl"].first {
            FileManager.default.isExecutableFile(atPath: $0)
        }
    }

    static var isAvailable: Bool { command != nil }

    let address: SocketAddress
    private let process: ChildProcess

    init(certificate: String = "server", options: [String]) throws {
        process = try ChildProcess(
            #require(Self.command),
            [
                "s_server", "-accept", "127.0.0.1:0",
                "-cert", TLSFixtures.path(certificate + ".pem"),
                "-key", TLSFixtures.path(certificate + ".key"),
            ] + options)
        var text = ""
        var port: UInt16?
        while port == nil {
            let data = process.output.availableData
            try #require(!data.isEmpty, "openssl s_server ended: \(text)")
            text += String(decoding: data, as: UTF8.self)
            // "ACCEPT 127.0.0.1:43215 …", as soon as it listens.
            for line in text.split(separator: "\n").dropLast(text.hasSuffix("\n") ? 0 : 1)
            where line.hasPrefix("ACCEPT ") {
                let words = line.split(separator: " ").dropFirst()
                port = words.first?.split(separator: ":").last.flatMap { UInt16($0) }
            }
        }
        address = .ipv4Loopback(port: try #require(port))
    }

    func stop() {
        // Not SIGTERM: a child may inherit a signal mask that blocks it.
        process.send(signal: SIGKILL)
        _ = process.wait()
    }
}
