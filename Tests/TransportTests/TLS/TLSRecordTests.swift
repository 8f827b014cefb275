import Testing

@testable import SwiftletTransport

@Suite(
    "TLS records without application data",
    .enabled(if: TLSFixtures.isAvailable, "OpenSSL is not installed"))
struct TLSRecordTests {
    /// A pair whose client has read everything, application data last.
    private static func open() throws -> TLSPair {
        var pair = try TLSPair.between()
        try pair.handshake()
        try pair.serverSends([0])
        _ = try pair.settle()
        #expect(pair.clientReceived() == [0])
        return pair
    }

    @Test("are processed one at a time, so that a caller can charge for each")
    func oneAtATime() throws {
        var pair = try Self.open()
        try pair.serverUpdatesKeys(times: 4)
        try pair.serverSends([1, 2, 3])
        var left = Int.max
        for _ in 0..<4 {
            let read = try pair.clientReads()
            #expect(read.outcome == .withoutContent)
            #expect(read.leftByteCount > 0)
            #expect(read.leftByteCount < left)
            left = read.leftByteCount
        }
        #expect(try pair.clientReads().outcome == .bytes(3))
        #expect(try pair.clientReads().outcome == .needsMore)
        #expect(pair.clientReceived() == [1, 2, 3])
    }

    @Test("are accepted 32 times in a row; application data restarts the count")
    func allowed() throws {
        var pair = try Self.open()
        for _ in 0..<3 {
            try pair.serverUpdatesKeys(times: 32)
            try pair.serverSends([7])
        }
        _ = try pair.settle()
        #expect(pair.clientReceived() == [7, 7, 7])
    }

    @Test("end the connection when more than 32 arrive in a row")
    func refused() throws {
        var pair = try Self.open()
        try pair.serverUpdatesKeys(times: 33)
        try pair.serverSends([7])
        let error = #expect(throws: TLSError.self) { _ = try pair.settle() }
        #expect(error?.kind == .connection)
        #expect(error?.message == "more than 32 records in a row carried no application data")
        #expect(pair.clientReceived() == [])
    }

    @Test("of a handshake without an end are limited")
    func endlessHandshake() throws {
        let client = try OpenSSLContext(TLSFixtures.client { $0.maximumVersion = .tls12 })
            .makeSession(host: "localhost")
        var received = ReceiveBuffer()
        var ciphertext = GatherList()
        // HelloRequest (RFC 5246 §7.4.1.1), which a client ignores during the handshake.
        let requests = [UInt8](repeating: 0, count: 4 * 4_000)
        let record = [22, 3, 3, UInt8(requests.count >> 8), UInt8(requests.count & 255)] + requests
        let error = #expect(throws: TLSError.self) {
            for _ in 0..<100 {
                #expect(received.append(copying: record.span) == record.count)
                let progress = try client.handshake(&received, sending: &ciphertext)
                #expect(progress == .needsMore)
            }
        }
        #expect(error?.message == "the peer's part of the handshake is larger than 256 KiB")
    }
}
