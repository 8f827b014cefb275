import Foundation
import Testing

@testable import SwiftletTransport

/// Certificates and configurations for tests.
enum TLSFixtures {
    /// Whether this machine has OpenSSL. If it has none, these tests are skipped.
    static var isAvailable: Bool { (try? OpenSSLLibrary.shared()) != nil }

    static func path(_ name: String) -> String {
        URL(filePath: #filePath).appending(path: "../../..").standardized
            .appending(path: "Certificates/\(name)").path(percentEncoded: false)
    }

    static func identity(_ name: String) -> TLSConfiguration.Identity {
        .init(certificates: .file(path(name + ".pem")), privateKey: .file(path(name + ".key")))
    }

    static func server(
        _ name: String = "server", _ change: (inout TLSConfiguration) -> Void = { _ in }
    ) -> TLSConfiguration {
        var configuration = TLSConfiguration(role: .server)
        configuration.identity = identity(name)
        configuration.trust = .authorities(.file(path("ca.pem")))
        change(&configuration)
        return configuration
    }

    static func client(
        _ change: (inout TLSConfiguration) -> Void = { _ in }
    ) -> TLSConfiguration {
        var configuration = TLSConfiguration(role: .client)
        configuration.trust = .authorities(.file(path("ca.pem")))
        change(&configuration)
        return configuration
    }
}

/// Two sessions and the bytes between them, in memory.
struct TLSPair: ~Copyable {
    let client: any TLSSession
    let server: any TLSSession
    /// The most bytes that arrive at a time.
    var portion = Int.max

    private var toServer = GatherList()
    private var toClient = GatherList()
    private var atServer = ReceiveBuffer()
    private var atClient = ReceiveBuffer()
    private(set) var clientPlaintext = ReceiveBuffer(maximumByteCount: 1 << 24)
    private(set) var serverPlaintext = ReceiveBuffer(maximumByteCount: 1 << 24)

    private init(_ client: any TLSSession, _ server: any TLSSession) {
        self.client = client
        self.server = server
    }

    static func between(
        _ client: any TLSProvider, and server: any TLSProvider, host: String? = "localhost"
    ) throws -> TLSPair {
        TLSPair(try client.makeSession(host: host), try server.makeSession(host: nil))
    }

    static func between(
        _ client: TLSConfiguration = TLSFixtures.client(),
        and server: TLSConfiguration = TLSFixtures.server(), host: String? = "localhost"
    ) throws -> TLSPair {
        try between(OpenSSLContext(client), and: OpenSSLContext(server), host: host)
    }

    /// Runs the handshake until both sides are done, or one throws.
    mutating func handshake() throws {
        var clientDone = false
        var serverDone = false
        while true {
            if !clientDone {
                clientDone = try client.handshake(&atClient, sending: &toServer) == .done
            }
            if !serverDone {
                serverDone = try server.handshake(&atServer, sending: &toClient) == .done
            }
            if clientDone, serverDone { return }
            try #require(!toServer.isEmpty || !toClient.isEmpty, "the handshake hangs")
            carry()
        }
    }

    /// Delivers one portion of the bytes in both directions.
    mutating func carry() {
        Self.carry(&toServer, &atServer, portion)
        Self.carry(&toClient, &atClient, portion)
    }

    private static func carry(
        _ list: inout GatherList, _ buffer: inout ReceiveBuffer, _ portion: Int
    ) {
        var bytes: [UInt8] = []
        list.moveFirst(min(portion, buffer.maximumByteCount - buffer.count), to: &bytes)
        #expect(buffer.append(copying: bytes.span) == bytes.count)
    }

    mutating func clientSends(_ bytes: [UInt8]) throws {
        var list = GatherList()
        list.append(referencing: bytes)
        try client.write(&list, sending: &toServer)
        #expect(list.isEmpty)
    }

    mutating func serverSends(_ list: inout GatherList) throws {
        try server.write(&list, sending: &toClient)
    }

    mutating func serverSends(_ bytes: [UInt8]) throws {
        var list = GatherList()
        list.append(referencing: bytes)
        try serverSends(&list)
    }

    /// Sends records without application data.
    mutating func serverUpdatesKeys(times count: Int) throws {
        let server = try #require(server as? OpenSSLSession)
        for _ in 0..<count { #expect(server.updateKeys(sending: &toClient)) }
    }

    /// Delivers all bytes to the client, which reads once. Also returns how many of these bytes
    /// were not consumed.
    mutating func clientReads() throws -> (outcome: TLSReadOutcome, leftByteCount: Int) {
        carry()
        let outcome = try client.read(&atClient, into: &clientPlaintext, sending: &toServer)
        return (outcome, atClient.count)
    }

    mutating func clientCloses() { client.close(sending: &toServer) }

    /// Delivers all bytes in both directions. Returns the last outcome of each side.
    mutating func settle() throws -> (client: TLSReadOutcome, server: TLSReadOutcome) {
        while true {
            carry()
            let atServerNow = try Self.readAll(&atServer) { received throws(TLSError) in
                try server.read(&received, into: &serverPlaintext, sending: &toClient)
            }
            let atClientNow = try Self.readAll(&atClient) { received throws(TLSError) in
                try client.read(&received, into: &clientPlaintext, sending: &toServer)
            }
            if toServer.isEmpty, toClient.isEmpty { return (atClientNow, atServerNow) }
        }
    }

    /// Calls `read` until its outcome is neither `.bytes` nor `.withoutContent`. Returns that
    /// outcome.
    private static func readAll(
        _ received: inout ReceiveBuffer,
        _ read: (inout ReceiveBuffer) throws(TLSError) -> TLSReadOutcome
    ) throws -> TLSReadOutcome {
        while true {
            switch try read(&received) {
            case .bytes, .withoutContent: continue
            case let outcome: return outcome
            }
        }
    }

    mutating func serverReceived() -> [UInt8] {
        let bytes = serverPlaintext.withUnread { [UInt8](copying: $0) }
        serverPlaintext.consume(bytes.count)
        return bytes
    }

    mutating func clientReceived() -> [UInt8] {
        let bytes = clientPlaintext.withUnread { [UInt8](copying: $0) }
        clientPlaintext.consume(bytes.count)
        return bytes
    }

    /// Delivers the pending bytes to the client. Returns the client's error, or nil.
    mutating func clientFailure() -> TLSError? {
        carry()
        do throws(TLSError) {
            _ = try client.handshake(&atClient, sending: &toServer)
            _ = try client.read(&atClient, into: &clientPlaintext, sending: &toServer)
            return nil
        } catch { return error }
    }

    mutating func corruptWhatIsUnderWayToTheServer() {
        var bytes = toServer.bytes
        bytes[bytes.count - 1] ^= 1
        toServer.removeAll()
        toServer.append(copying: bytes)
    }

    mutating func putAtClient(_ bytes: [UInt8]) {
        _ = atClient.append(copying: bytes.span)
    }
}
