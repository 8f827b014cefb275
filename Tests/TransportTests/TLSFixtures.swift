import Foundation
import Testing

@testable import SwiftletTransport

/// Certificates and configurations for tests.
enum TLSFixtures {
    /// Whether this machine has OpenSSL; without it these tests are skipped.
    static var isAvailable: Bool { (try? OpenSSLLibrary.loaded.get()) != nil }

    static func path(_ name: String) -> String {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
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

/// Two sessions and the octets between them, in memory.
struct TLSPair: ~Copyable {
    let client: any TLSSession
    let server: any TLSSession
    /// At most this many octets arrive at a time.
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

    /// Shakes hands until both are done, or one throws.
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

    /// One portion of what is under way, in both directions.
    mutating func carry() {
        Self.carry(&toServer, &atServer, portion)
        Self.carry(&toClient, &atClient, portion)
    }

    private static func carry(
        _ list: inout GatherList, _ buffer: inout ReceiveBuffer, _ portion: Int
    ) {
        var octets: [UInt8] = []
        list.moveFirst(min(portion, buffer.maximumByteCount - buffer.count), to: &octets)
        #expect(buffer.append(copying: octets.span) == octets.count)
    }

    mutating func clientSends(_ octets: [UInt8]) throws {
        var list = GatherList()
        list.append(referencing: octets)
        try client.write(&list, sending: &toServer)
        #expect(list.isEmpty)
    }

    mutating func serverSends(_ list: inout GatherList) throws {
        try server.write(&list, sending: &toClient)
    }

    mutating func clientCloses() { client.close(sending: &toServer) }

    /// Carries until nothing is under way; answers the last outcome at each end.
    mutating func settle() throws -> (client: TLSReadOutcome, server: TLSReadOutcome) {
        while true {
            carry()
            let atServerNow = try server.read(
                &atServer, into: &serverPlaintext, sending: &toClient)
            let atClientNow = try client.read(
                &atClient, into: &clientPlaintext, sending: &toServer)
            if toServer.isEmpty, toClient.isEmpty { return (atClientNow, atServerNow) }
        }
    }

    mutating func serverReceived() -> [UInt8] {
        let octets = serverPlaintext.withUnread { [UInt8](copying: $0) }
        serverPlaintext.consume(octets.count)
        return octets
    }

    mutating func clientReceived() -> [UInt8] {
        let octets = clientPlaintext.withUnread { [UInt8](copying: $0) }
        clientPlaintext.consume(octets.count)
        return octets
    }

    /// What the client makes of everything that is under way to it.
    mutating func clientFailure() -> TLSError? {
        carry()
        do throws(TLSError) {
            _ = try client.handshake(&atClient, sending: &toServer)
            _ = try client.read(&atClient, into: &clientPlaintext, sending: &toServer)
            return nil
        } catch { return error }
    }

    mutating func corruptWhatIsUnderWayToTheServer() {
        var octets = toServer.octets
        octets[octets.count - 1] ^= 1
        toServer.removeAll()
        toServer.append(copying: octets)
    }

    mutating func putAtClient(_ octets: [UInt8]) {
        _ = atClient.append(copying: octets.span)
    }
}
