import Testing

@testable import SwiftletTransport

@Suite("A TLS session", .enabled(if: TLSFixtures.isAvailable, "OpenSSL is not installed"))
struct TLSSessionTests {
    @Test(
        "carries bytes both ways after the handshake, in portions of any size",
        arguments: [TLSConfiguration.Version.tls12, .tls13], [1, 7, 100, Int.max])
    func exchange(version: TLSConfiguration.Version, portion: Int) throws {
        var pair = try TLSPair.between(
            TLSFixtures.client {
                $0.minimumVersion = version
                $0.maximumVersion = version
            })
        pair.portion = portion
        try pair.handshake()
        #expect(pair.client.negotiatedProtocol == "h2")
        #expect(pair.server.negotiatedProtocol == "h2")
        #expect(pair.client.protocolVersion == (version == .tls12 ? "TLSv1.2" : "TLSv1.3"))
        #expect(pair.client.peerCertificates.count == 1)
        #expect(pair.client.isResumed == false)

        try pair.clientSends(Array("hello".utf8))
        _ = try pair.settle()
        #expect(pair.serverReceived() == Array("hello".utf8))

        // Small pieces, and large ones that exceed a record.
        var list = GatherList()
        var expected: [UInt8] = []
        let large = (0..<40_000).map { UInt8(truncatingIfNeeded: $0) }
        for _ in 0..<3 {
            list.append(copying: [1, 2, 3, 4, 5, 6, 7, 8, 9])
            list.append(referencing: large, 5..<40_000)
            expected += [1, 2, 3, 4, 5, 6, 7, 8, 9] + large[5...]
        }
        try pair.serverSends(&list)
        #expect(list.isEmpty)
        _ = try pair.settle()
        #expect(pair.clientReceived() == expected)
    }

    @Test("distinguishes close_notify from a connection that was cut off")
    func endings() throws {
        var pair = try TLSPair.between()
        #expect(pair.client.endOfTransport()?.kind == .truncated)
        try pair.handshake()
        #expect(
            pair.server.endOfTransport()?.description
                == "TLS: the connection ended without the peer's close_notify")
        try pair.clientSends([1, 2, 3])
        pair.clientCloses()
        #expect(try pair.settle().server == .endOfStream)
        #expect(pair.serverReceived() == [1, 2, 3], "what came before the end is there")
        #expect(pair.server.endOfTransport() == nil)
    }

    @Test("refuses a changed record")
    func corruption() throws {
        var pair = try TLSPair.between()
        try pair.handshake()
        _ = try pair.settle()
        try pair.clientSends([1, 2, 3])
        pair.corruptWhatIsUnderWayToTheServer()
        do {
            _ = try pair.settle()
            Issue.record("the record was accepted")
        } catch let error as TLSError {
            #expect(error.kind == .connection)
            #expect(error.message.contains("bad record mac"))
        }
        #expect(pair.serverReceived() == [])
    }

    @Test(
        "never traps on noise, and reports that it is not TLS",
        arguments: [
            Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8),
            [0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0],
            [UInt8](repeating: 0xff, count: 1_000),
        ])
    func noise(bytes: [UInt8]) throws {
        var pair = try TLSPair.between()
        pair.putAtClient(bytes)
        do {
            try pair.handshake()
            Issue.record("noise was taken for TLS")
        } catch let error as TLSError {
            #expect(error.description.hasPrefix("TLS handshake: the peer does not speak TLS"))
        }
    }

    @Test("resumes an earlier session only with the same host")
    func resumption() throws {
        for version in [TLSConfiguration.Version.tls12, .tls13] {
            let client = try OpenSSLContext(
                TLSFixtures.client {
                    $0.minimumVersion = version
                    $0.maximumVersion = version
                })
            let server = try OpenSSLContext(TLSFixtures.server())
            for turn in 0..<4 {
                var pair = try TLSPair.between(client, and: server)
                try pair.handshake()
                #expect(pair.client.isResumed == (turn > 0), "\(version), turn \(turn)")
                try pair.clientSends([1])
                _ = try pair.settle()
                #expect(pair.serverReceived() == [1])
            }
            var other = try TLSPair.between(client, and: server, host: "127.0.0.1")
            try other.handshake()
            #expect(other.client.isResumed == false)
        }
    }

    @Test("does not resume when that is disabled")
    func noResumption() throws {
        let client = try OpenSSLContext(TLSFixtures.client { $0.resumesSessions = false })
        let server = try OpenSSLContext(TLSFixtures.server())
        for _ in 0..<2 {
            var pair = try TLSPair.between(client, and: server)
            try pair.handshake()
            _ = try pair.settle()
            #expect(pair.client.isResumed == false)
        }
    }

    @Test("reads no more plaintext than its buffer can have, and loses none")
    func fullBuffer() throws {
        var pair = try TLSPair.between()
        try pair.handshake()
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        var list = GatherList()
        list.append(referencing: bytes)
        var ciphertext = GatherList()
        try pair.server.write(&list, sending: &ciphertext)
        var wire: [UInt8] = []
        ciphertext.moveFirst(ciphertext.count, to: &wire)
        _ = try pair.settle()
        var received = ReceiveBuffer(maximumByteCount: 1 << 20)
        #expect(received.append(copying: wire.span) == wire.count)
        var small = ReceiveBuffer(initialByteCount: 100, maximumByteCount: 1_000)
        var read: [UInt8] = []
        var outcome = TLSReadOutcome.bufferFull
        while outcome == .bufferFull {
            outcome = try pair.client.read(&received, into: &small, sending: &ciphertext)
            #expect(small.count <= 1_000)
            read += small.withUnread { [UInt8](copying: $0) }
            small.consume(small.count)
        }
        #expect(read == bytes)
    }
}
