import Testing

@testable import SwiftletTransport

@Suite("A flood")
struct FloodTests {
    /// A frame of which an honest peer sends few, and how many are taken before the connection is
    /// closed. The clock stands still meanwhile.
    struct Flood: CustomTestStringConvertible {
        var testDescription: String
        var role = Role.client
        /// Sent once, before the flood.
        var before: [UInt8] = []
        var frame: @Sendable (Int) -> [UInt8]
        /// What the start of the connection has used of the budget.
        var taken = 1_000 - handshakeGlitches
        /// Whether our output is taken all the while.
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

    /// The peer's SETTINGS and its acknowledgement of ours.
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
        Flood("of unknown frames") { _ in Raw.frame(0xee, [1, 2, 3]) },
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
        // The request of a client earns something; spending starts from a full budget.
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
        // The handshake, a request that earns, and what came before the flood.
        #expect((990...1_002).contains(taken), "\(taken)")
    }

    @Test(
        "that nobody reads the answers to is closed at a thousand answers, however it is paid for")
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

    @Test("of resets, unread, is closed at a thousand")
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

    @Test("comes back at a hundred frames a second")
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
        #expect(server.connection.lastRequestID.rawValue == 5_999)
    }

    @Test("is not what a server does that resets every stream behind its answer")
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

    @Test("is not what a peer does that gives back windows for every piece it reads")
    func windowUpdates() throws {
        var client = Endpoint.client()
        let call = try client.open()
        for _ in 0..<5_000 {
            // A message: its prefix and its content are read apart, and given back on both levels.
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

    @Test("is not the resets of a server behind many answers that ended their calls at once")
    func resetsOfEndedCalls() throws {
        var client = Endpoint.client()
        let calls = try (0..<3_000).map { _ in try client.open() }
        _ = client.output()
        for (index, call) in calls.enumerated() {
            client.receive(Raw.response(UInt32(index * 2 + 1), ends: true))
            // Nobody goes on with a request that has its answer.
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

    @Test("is not what was under way in small frames on a stream that we cancel")
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
}
