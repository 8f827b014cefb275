import Testing

@testable import SwiftletTransport

@Suite("A flood")
struct FloodTests {
    /// A frame that a correct peer sends rarely, and the number of such frames that are accepted before the
    /// connection is closed. Time does not advance.
    struct Flood: CustomTestStringConvertible {
        var testDescription: String
        var role = Role.client
        /// The bytes that are sent once, before the flood.
        var before: [UInt8] = []
        var frame: @Sendable (Int) -> [UInt8]
        /// The approximate number of accepted frames: the budget that the handshake leaves.
        var taken = 1_000 - handshakeGlitches
        /// Whether the peer reads the engine's output during the flood.
        var isRead = true

        init(
            _ description: String, _ role: Role = .client, before: [UInt8] = [],
            taken: Int = 1_000 - handshakeGlitches, isRead: Bool = true,
            frame: @escaping @Sendable (Int) -> [UInt8]
        ) {
            testDescription = description
            self.role = role
            self.before = before
            self.frame = frame
            self.taken = taken
            self.isRead = isRead
        }
    }

    /// The glitches of the handshake: the peer's SETTINGS, and the peer's acknowledgement of the engine's
    /// SETTINGS.
    static let handshakeGlitches = 2

    private static let reset = Raw.frame(Raw.reset, on: 1, Raw.word(8))

    static let floods: [Flood] = [
        Flood("of PING") { _ in Raw.frame(Raw.ping, Raw.word(0) + Raw.word(0)) },
        Flood("of answers to no PING") { _ in
            Raw.frame(Raw.ping, Raw.ack, Raw.word(0) + Raw.word(0))
        },
        Flood("of SETTINGS") { _ in Raw.settings() },
        Flood("of SETTINGS that move windows") { Raw.settings((4, UInt32($0 % 2))) },
        Flood("of PRIORITY") { _ in Raw.frame(Raw.priority, on: 99, Raw.word(0) + [1]) },
        Flood("of unknown frames") { _ in Raw.frame(0xee, [UInt8](repeating: 7, count: 16_375)) },
        Flood("of PING between DATA of one byte", before: Raw.response(1)) { _ in
            Raw.data(1, [7]) + Raw.frame(Raw.ping, Raw.word(0) + Raw.word(0))
        },
        Flood("of WINDOW_UPDATE") { _ in Raw.windowUpdate(0, 1) },
        Flood("of WINDOW_UPDATE for a stream that is over", before: reset) { _ in
            Raw.windowUpdate(1, 1)
        },
        Flood("of WINDOW_UPDATE of zero for a stream that is over", before: reset) { _ in
            Raw.windowUpdate(1, 0)
        },
        Flood("of GOAWAY") { _ in Raw.goAway(last: 1) },
        Flood("of GOAWAY that keeps everything") { _ in Raw.goAway(last: 0x7fff_ffff) },
        Flood("of empty DATA", before: Raw.response(1)) { _ in Raw.data(1, []) },
        Flood("of DATA that is padding", before: Raw.response(1)) { _ in
            Raw.frame(Raw.data, Raw.padded, on: 1, [0])
        },
        Flood("of 1xx responses") { _ in
            Raw.frame(Raw.headers, Raw.endHeaders, on: 1, Raw.interimBlock)
        },
        Flood("of RST_STREAM for a stream that is over", before: reset) { _ in reset },
        Flood("of DATA for a stream that is over", before: reset) { _ in Raw.data(1, [1]) },
        Flood("of HEADERS for a stream that is over", before: reset) { _ in Raw.response(1) },
        Flood("of PING, the answers unread", taken: 1_000 - handshakeGlitches, isRead: false) { _ in
            Raw.frame(Raw.ping, Raw.word(0) + Raw.word(0))
        },
        Flood("of streams opened and reset", .server) { index in
            let id = UInt32(index * 2 + 1)
            return Raw.request(id) + Raw.frame(Raw.reset, on: id, Raw.word(8))
        },
        Flood("of malformed requests", .server) { index in
            Raw.frame(Raw.headers, Raw.endHeaders, on: UInt32(index * 2 + 1), Raw.responseBlock)
        },
        Flood("of requests that their own DATA makes malformed", .server) { index in
            let id = UInt32(index * 2 + 1)
            return Raw.request(id) + Raw.windowUpdate(id, 0)
        },
    ]

    @Test("ends in ENHANCE_YOUR_CALM, at the promised number of frames", arguments: floods)
    func limit(_ flood: Flood) throws {
        var endpoint =
            flood.role == .client ? Endpoint.client() : Endpoint.server()
        // A client's request earns tokens, so the flood starts with a full budget.
        if flood.role == .client { _ = try endpoint.open() }
        _ = endpoint.output()
        endpoint.receive(flood.before)
        var taken = 0
        while taken < 5_000 {
            endpoint.receive(flood.frame(taken))
            if flood.isRead { _ = endpoint.output() }
            if endpoint.connection.hasFailed { break }
            taken += 1
        }
        let verdict = endpoint.verdict()
        #expect(verdict == .connection(.enhanceYourCalm))
        // Not exactly 1,000, because the handshake and `before` use some of the budget, and a request adds
        // some.
        #expect((990...1_002).contains(taken), "\(taken)")
    }

    @Test(
        "of a peer that does not read the answers ends at a thousand answers, with any budget"
    )
    func unread() throws {
        var configuration = ConnectionConfiguration(.client)
        configuration.limits.glitchCount = 1_000_000
        var client = Endpoint.client(configuration)
        for _ in 0..<1_000 { client.receive(Raw.frame(Raw.ping, Raw.word(0) + Raw.word(0))) }
        #expect(client.connection.hasFailed == false)
        client.receive(Raw.frame(Raw.ping, Raw.word(0) + Raw.word(0)))
        let verdict = client.verdict()
        #expect(verdict == .connection(.enhanceYourCalm))
    }

    @Test("of resets that the peer does not read ends at a thousand")
    func unreadResets() throws {
        var configuration = ConnectionConfiguration(.server)
        configuration.limits.glitchCount = 1_000_000
        var server = Endpoint.server(configuration)
        var taken = 0
        while taken < 5_000, !server.connection.hasFailed {
            server.receive(
                Raw.frame(
                    Raw.headers, Raw.endHeaders, on: UInt32(taken * 2 + 1), Raw.responseBlock))
            taken += 1
        }
        #expect(taken == 1_001)
    }

    @Test("is allowed a hundred frames a second")
    func refill() throws {
        var client = Endpoint.client()
        let ping = Raw.frame(Raw.ping, Raw.word(0) + Raw.word(0))
        for _ in 0..<998 { client.receive(ping) }
        _ = client.output()
        client.now = client.now + .seconds(2)
        for _ in 0..<200 { client.receive(ping) }
        #expect(client.connection.hasFailed == false)
        client.receive(ping)
        #expect(client.connection.hasFailed == true)
    }

    @Test("Empty DATA frames without END_STREAM are limited; with END_STREAM they are not counted")
    func emptyEnds() throws {
        var client = Endpoint.client()
        for index in 0..<3_000 {
            _ = try client.open(ends: true)
            let id = UInt32(index * 2 + 1)
            client.receive(Raw.response(id) + Raw.data(id, [], ends: true))
        }
        let verdict = client.verdict()
        #expect(verdict == .accepted)
        #expect(client.connection.streamCount == 0)
    }

    @Test("A flood of resets by the peer is limited; resets by us are not counted against it")
    func ownResets() throws {
        var server = Endpoint.server()
        for index in 0..<3_000 {
            let id = UInt32(index * 2 + 1)
            server.receive(Raw.request(id))
            guard case .headers(let handle, _, _)? = server.takeEvents().last else { break }
            server.connection.reset(handle, .cancel)
            _ = server.output()
        }
        #expect(server.connection.hasFailed == false)
        #expect(server.connection.requests.lastAccepted.rawValue == 5_999)
    }

    @Test("is not a reset of every stream after its response")
    func resetsAfterAnswers() throws {
        var client = Endpoint.client()
        for index in 0..<5_000 {
            let id = UInt32(index * 2 + 1)
            let call = try client.open()
            _ = client.connection.sendData([1], on: call, endStream: index % 2 == 0)
            client.receive(
                Raw.response(id, ends: true) + Raw.frame(Raw.reset, on: id, Raw.word(0)))
            _ = client.output()
        }
        let verdict = client.verdict()
        #expect(verdict == .accepted)
    }

    @Test("is not a WINDOW_UPDATE for every piece that a peer reads")
    func windowUpdates() throws {
        var client = Endpoint.client()
        let call = try client.open()
        for _ in 0..<5_000 {
            // The peer reads the prefix and the content of a message separately. After each, it sends
            // WINDOW_UPDATE for the stream and for the connection.
            _ = client.connection.sendData(
                [UInt8](repeating: 0, count: 105), on: call, endStream: false)
            for count: UInt32 in [5, 100] {
                client.receive(Raw.windowUpdate(0, count) + Raw.windowUpdate(1, count))
            }
            _ = client.output()
        }
        let verdict = client.verdict()
        #expect(verdict == .accepted)
    }

    @Test("is not the resets of a server after many complete responses")
    func resetsOfEndedCalls() throws {
        var client = Endpoint.client()
        let calls = try (0..<3_000).map { _ in try client.open() }
        _ = client.output()
        for (index, call) in calls.enumerated() {
            client.receive(Raw.response(UInt32(index * 2 + 1), ends: true))
            // A client does not continue a request that has its response.
            client.connection.reset(call, .noError)
        }
        _ = client.output()
        for index in calls.indices {
            client.receive(Raw.frame(Raw.reset, on: UInt32(index * 2 + 1), Raw.word(0)))
        }
        let verdict = client.verdict()
        #expect(verdict == .accepted)
    }

    @Test("is not the return of windows in small pieces, long after they were used")
    func lateWindowUpdates() throws {
        let large: UInt32 = 64 << 20
        var client = Endpoint.client(settings: Raw.settings((4, large)))
        client.receive(Raw.windowUpdate(0, large))
        let call = try client.open()
        _ = client.connection.sendData(
            [UInt8](repeating: 0, count: 16 << 20), on: call, endStream: true)
        _ = client.output()
        for _ in 0..<(16 << 20) / 4_096 {
            client.receive(Raw.windowUpdate(0, 4_096) + Raw.windowUpdate(1, 4_096))
        }
        let verdict = client.verdict()
        #expect(verdict == .accepted)
    }

    @Test("is not small frames on their way on a stream that was cancelled")
    func lateData() throws {
        var client = Endpoint.client()
        let call = try client.open()
        client.receive(Raw.response(1))
        client.connection.reset(call, .cancel)
        _ = client.output()
        let window = 64 << 10
        for _ in 0..<window / 16 {
            client.receive(Raw.data(1, [UInt8](repeating: 0, count: 16)))
        }
        client.receive(Raw.trailers(1))
        let verdict = client.verdict()
        #expect(verdict == .accepted)
        client.receive(Raw.data(1, [0]))
        let beyond = client.verdict()
        #expect(beyond == .stream(.streamClosed), "beyond what the window allowed")
    }

    @Test("is not 300 unknown frames in each of many replies")
    func unknownFrames() throws {
        var client = Endpoint.client()
        for index in 0..<3_000 {
            _ = try client.open(ends: true)
            let id = UInt32(index * 2 + 1)
            client.receive(Raw.response(id))
            for _ in 0..<300 { client.receive(Raw.frame(0xee, [UInt8](repeating: 7, count: 20))) }
            client.receive(Raw.trailers(id))
            _ = client.output()
        }
        let verdict = client.verdict()
        #expect(verdict == .accepted)
    }

    @Test("is not a frame of 2,000 unknown settings; a flood of such frames is")
    func settings() throws {
        var entries: [UInt8] = []
        for index in 0..<2_000 {
            entries += [UInt8(0x10 + index >> 8), UInt8(index & 255)]
            entries += Raw.word(1)
        }
        var client = Endpoint.client()
        client.receive(Raw.frame(Raw.settings, entries))
        let first = client.verdict()
        #expect(first == .accepted)
        var taken = 1
        while taken < 1_000, !client.connection.hasFailed {
            client.receive(Raw.frame(Raw.settings, entries))
            _ = client.output()
            taken += 1
        }
        #expect(taken < 20)
    }

    @Test("of requests that are reset when their answer begins earns nothing")
    func resetsOfAnswers() throws {
        var server = Endpoint.server()
        var taken = 0
        while taken < 5_000, !server.connection.hasFailed {
            let id = UInt32(taken * 2 + 1)
            server.receive(Raw.request(id))
            guard case .headers(let handle, _, _)? = server.takeEvents().last else { break }
            _ = server.connection.sendHeaders(nil, .response, on: handle, endStream: false)
            _ = server.output()
            server.receive(Raw.frame(Raw.reset, on: id, Raw.word(8)))
            taken += 1
        }
        let verdict = server.verdict()
        #expect(verdict == .connection(.enhanceYourCalm))
        #expect((990...1_002).contains(taken), "\(taken)")
    }

    @Test("of WINDOW_UPDATE ends, however much was sent before")
    func owedUpdates() throws {
        var configuration = ConnectionConfiguration(.client)
        #expect(configuration.limits.owedUpdateCount == 1 << 20)
        configuration.limits.owedUpdateCount = 10_000
        var client = Endpoint.client(configuration)
        let call = try client.open()
        for _ in 0..<5_000 {
            _ = client.connection.sendData([7], on: call, endStream: false)
            if client.connection.hasOutput {
                var list = GatherList()
                client.connection.takeOutput(into: &list)
            }
        }
        var taken = 0
        while taken < 30_000, !client.connection.hasFailed {
            client.receive(Raw.windowUpdate(1, 1))
            taken += 1
        }
        #expect((10_990..<11_010).contains(taken), "\(taken)")
    }

    @Test("is not the late responses to 40,000 streams that were reset together")
    func lateAnswers() throws {
        var client = Endpoint.client()
        let calls = try (0..<40_000).map { _ in try client.open() }
        for call in calls {
            _ = client.connection.sendData([1, 2, 3], on: call, endStream: true)
        }
        _ = client.output()
        for call in calls { client.connection.reset(call, .cancel) }
        _ = client.output()
        for index in calls.indices {
            let id = UInt32(index * 2 + 1)
            client.receive(
                Raw.windowUpdate(id, 3) + Raw.response(id) + Raw.data(id, [4, 5, 6])
                    + Raw.trailers(id) + Raw.frame(Raw.reset, on: id, Raw.word(0)))
        }
        let verdict = client.verdict()
        #expect(verdict == .accepted)
    }

    @Test("of late responses ends when it exceeds what the resets have allowed")
    func endlessLateAnswers() throws {
        var client = Endpoint.client()
        for _ in 0..<10 {
            let call = try client.open()
            _ = client.output()
            client.connection.reset(call, .cancel)
        }
        _ = client.output()
        let answer = Raw.response(1)
        var taken = 0
        while taken < 5_000, !client.connection.hasFailed {
            client.receive(answer)
            _ = client.output()
            taken += 1
        }
        // 64 late frames for each of the 10 resets, then about 1,000 glitches of the budget.
        #expect((1_600..<1_650).contains(taken), "\(taken)")
    }
}
