import Testing

@testable import SwiftletTransport

@Suite("A connection with deadlines")
struct DeadlineTests {
    @Test("allows its peer a minute to acknowledge SETTINGS")
    func settings() {
        var client = Endpoint(.init(.client))
        let start = client.now
        let due = client.connection.poll(now: start)
        #expect(due == start + .seconds(60))
        client.receive(Raw.settings())
        let early = client.connection.poll(now: start + .seconds(59))
        #expect(early == start + .seconds(60))
        let late = client.connection.poll(now: start + .seconds(60))
        #expect(late == nil)
        let verdict = client.verdict()
        #expect(verdict == .connection(.settingsTimeout))
    }

    @Test("waits for nothing once they are acknowledged")
    func idle() {
        var client = Endpoint.client()
        let due = client.connection.poll(now: client.now + .seconds(3600))
        #expect(due == nil)
        #expect(client.connection.hasFailed == false)
    }

    private static func watched(
        withoutStreams: Bool = false, maxPingsWithoutData: Int = 2
    ) -> Endpoint {
        var configuration = ConnectionConfiguration(.client)
        configuration.keepAlive = .init(
            interval: .seconds(10), timeout: .seconds(5), withoutStreams: withoutStreams,
            maxPingsWithoutData: maxPingsWithoutData)
        return Endpoint.client(configuration)
    }

    @Test("sends a PING to a quiet peer, and fails when no answer arrives")
    func silence() throws {
        var client = Self.watched()
        _ = try client.open(ends: true)
        _ = client.output()
        let start = client.now
        let first = client.connection.poll(now: start)
        #expect(first == start + .seconds(10))
        let second = client.connection.poll(now: start + .seconds(10))
        #expect(second == start + .seconds(15))
        let frames = client.sentFrames()
        #expect(frames.map(\.type) == [Raw.ping])
        // Without ACK: this is a PING, and not an answer to one.
        #expect(frames.map(\.flags) == [0])
        let third = client.connection.poll(now: start + .seconds(15))
        #expect(third == nil)
        let verdict = client.verdict()
        #expect(verdict == .connection(.noError))
    }

    @Test(
        "treats every frame, and a part of one, as a sign that the peer is alive",
        arguments: [Int.max, 10])
    func signOfLife(byteCount: Int) throws {
        var client = Self.watched()
        _ = try client.open(ends: true)
        let start = client.now
        _ = client.connection.poll(now: start + .seconds(10))
        client.now = start + .seconds(14)
        client.receive(Array(Raw.response(1).prefix(byteCount)))
        let next = client.connection.poll(now: start + .seconds(15))
        #expect(next == start + .seconds(24))
    }

    @Test("sends no PING without streams, unless configured to", arguments: [true, false])
    func withoutStreams(_ asks: Bool) {
        var client = Self.watched(withoutStreams: asks)
        let next = client.connection.poll(now: client.now)
        #expect(next == (asks ? client.now + .seconds(10) : nil))
        // The deadline that another thread reads without a poll is the same.
        let probe = client.connection.probeDeadline
        #expect(probe == next)
    }

    @Test("keeps its interval while a stream waits for the server", arguments: [1, 2, 0])
    func pingsWithStream(_ limit: Int) throws {
        var client = Self.watched(maxPingsWithoutData: limit)
        _ = try client.open()
        _ = client.output()
        for _ in 0..<50 {
            client.now = client.now + .seconds(10)
            _ = client.connection.poll(now: client.now)
            let pings = client.sentFrames().filter { $0.type == Raw.ping }
            #expect(pings.count == 1)
            for frame in pings { client.receive(Raw.frame(Raw.ping, Raw.ack, frame.payload)) }
        }
        // A frozen server is detected after one interval and the timeout.
        client.now = client.now + .seconds(10)
        _ = client.connection.poll(now: client.now)
        client.now = client.now + .seconds(20)
        _ = client.connection.poll(now: client.now)
        let hasFailed = client.connection.hasFailed
        #expect(hasFailed)
    }

    @Test(
        "sends PINGs no more often than servers accept while no stream is open",
        arguments: [1, 2, 0])
    func pingsWithoutData(_ limit: Int) throws {
        var client = Self.watched(withoutStreams: true, maxPingsWithoutData: limit)
        var pings = 0
        for _ in 0..<5 {
            client.now = client.now + .seconds(10)
            _ = client.connection.poll(now: client.now)
            for frame in client.sentFrames() where frame.type == Raw.ping {
                pings += 1
                client.receive(Raw.frame(Raw.ping, Raw.ack, frame.payload))
            }
        }
        #expect(pings == (limit == 0 ? 5 : limit))
        if limit > 0 {
            // A dead peer is still detected, only later.
            let next = client.connection.poll(now: client.now)
            client.now = client.now + .seconds(300)
            #expect(next.map { $0 <= client.now } == true)
            _ = client.connection.poll(now: client.now)
            let rare = client.sentFrames().filter { $0.type == Raw.ping }
            #expect(rare.count == 1)
            for frame in rare { client.receive(Raw.frame(Raw.ping, Raw.ack, frame.payload)) }
        }
        let call = try client.open(ends: true)
        client.receive(Raw.response(1, ends: true))
        client.connection.reset(call, .cancel)
        client.now = client.now + .seconds(10)
        _ = client.connection.poll(now: client.now)
        let again = client.sentFrames().filter { $0.type == Raw.ping }
        #expect(again.count == 1, "after HEADERS it may ask again")
    }

    @Test("distinguishes answers to its user's PINGs from answers to its own")
    func userPing() {
        var client = Endpoint.client()
        client.connection.ping(42)
        let frames = client.sentFrames()
        #expect(frames.map(\.type) == [Raw.ping])
        client.receive(Raw.frame(Raw.ping, Raw.ack, frames[0].payload))
        let events = client.takeEvents()
        #expect(events == [.pingAnswered(42)])
    }

    @Test("grows its windows to bandwidth × delay, up to the limit")
    func bandwidth() throws {
        var configuration = ConnectionConfiguration(.client)
        configuration.receiveWindows = .automatic(initial: 64 << 10, limit: 200_000)
        var client = Endpoint.client(configuration)
        let call = try client.open()
        client.receive(Raw.response(1))
        _ = client.output()
        var windows: [Int32] = []
        var answers: [UInt8] = []
        // Each turn is a round trip, in which the server sends all that the window allows.
        for _ in 0..<40 {
            client.now = client.now + .milliseconds(50)
            let stream = client.connection.streams[Int(call.slot)]
            let count = Int(stream.receiveWindow.available) / 16_384
            for index in 0..<count {
                client.receive(Raw.data(1, [UInt8](repeating: 0, count: 16_384)))
                // The PINGs of the previous turn are answered in the middle of this turn.
                guard index == count / 2 else { continue }
                client.receive(answers)
                answers = []
            }
            for frame in client.sentFrames() {
                if frame.type == Raw.ping {
                    answers += Raw.frame(Raw.ping, Raw.ack, frame.payload)
                }
                #expect(frame.type != Raw.settings, "other streams keep their windows")
            }
            windows.append(
                client.connection.streams[Int(call.slot)].receiveWindow.target)
        }
        #expect(windows.last == 200_000)
        #expect(windows == windows.sorted())
        #expect(windows.allSatisfy { $0 <= 200_000 })
        let verdict = client.verdict()
        #expect(verdict == .accepted)
    }

    @Test("sends no PING while the server is quiet, however long the readers take")
    func quietServer() throws {
        var client = Endpoint.client()
        let calls = try (0..<4).map { _ in try client.open() }
        let chunk = [UInt8](repeating: 0, count: 15_000)
        for id: UInt32 in [1, 3, 5, 7] {
            client.receive(Raw.response(id))
            for _ in 0..<4 { client.receive(Raw.data(id, chunk), consuming: false) }
        }
        _ = client.takeEvents()
        var pingCount = 0
        // Each PING is answered, and the server sends nothing else.
        for call in calls {
            for _ in 0..<60 {
                client.now = client.now + .milliseconds(25)
                client.connection.consumed(call, by: 1_000, now: client.now)
                for frame in client.sentFrames() where frame.type == Raw.ping {
                    pingCount += 1
                    client.receive(Raw.frame(Raw.ping, Raw.ack, frame.payload))
                }
            }
        }
        #expect(pingCount == 1)
        // The delay is measured again once the server sends.
        for _ in 0..<20 { client.receive(Raw.data(1, chunk)) }
        #expect(client.sentFrames().contains { $0.type == Raw.ping })
    }

    @Test("does not change fixed windows")
    func fixed() throws {
        var configuration = ConnectionConfiguration(.client)
        configuration.receiveWindows = .fixed(32_768)
        var client = Endpoint.client(configuration)
        _ = try client.open()
        client.receive(Raw.response(1))
        for _ in 0..<100 { client.receive(Raw.data(1, [UInt8](repeating: 0, count: 16_384))) }
        let frames = client.sentFrames()
        #expect(frames.allSatisfy { $0.type != Raw.ping && $0.type != Raw.settings })
    }
}

@Suite("A server that limits PINGs")
struct PingStrikesTests {
    /// A server with an open call, which has answered it with HEADERS.
    private static func server(_ handle: inout StreamHandle?) -> Endpoint {
        var configuration = ConnectionConfiguration(.server)
        configuration.minPingInterval = .seconds(300)
        var server = Endpoint.server(configuration)
        server.receive(Raw.request(1))
        for case .headers(let opened, _, _) in server.takeEvents() {
            _ = server.connection.sendHeaders(nil, .response, on: opened, endStream: false)
            handle = opened
        }
        _ = server.output()
        return server
    }

    /// The number of PINGs, each `interval` after the one before, until the connection fails; at most 10.
    private static func pingCount(
        _ server: inout Endpoint, every interval: Duration, sendingOn handle: StreamHandle? = nil
    ) -> Int {
        for count in 1...10 {
            server.now = server.now + interval
            server.receive(Raw.frame(Raw.ping, [UInt8](repeating: 7, count: 8)))
            if server.verdict() != .accepted { return count }
            if let handle { _ = server.connection.sendData([1], on: handle, endStream: false) }
        }
        return 10
    }

    @Test("accepts two that come too soon, and ends the connection at the next")
    func tooSoon() throws {
        var handle: StreamHandle?
        var server = Self.server(&handle)
        for count in 1...10 {
            server.receive(Raw.frame(Raw.ping, [UInt8](repeating: 7, count: 8)))
            let frames = server.sentFrames()
            guard let goAway = frames.first(where: { $0.type == Raw.goAway }) else { continue }
            #expect(count == 4, "the first is not too soon")
            #expect(goAway.payload[4..<8].elementsEqual([0, 0, 0, 11]), "ENHANCE_YOUR_CALM")
            #expect(goAway.payload[8...].elementsEqual("too_many_pings".utf8))
            return
        }
        Issue.record("the connection lives")
    }

    @Test("accepts any number of slow ones, and any number if it has sent something in between")
    func welcome() throws {
        var handle: StreamHandle?
        var slow = Self.server(&handle)
        let slowCount = Self.pingCount(&slow, every: .seconds(300))
        #expect(slowCount == 10)
        var sending = Self.server(&handle)
        let count = Self.pingCount(
            &sending, every: .milliseconds(1), sendingOn: handle)
        #expect(count == 10)
    }

    @Test("counts the time from the last one that did not come too soon (A8)")
    func everyOther() throws {
        var handle: StreamHandle?
        var server = Self.server(&handle)
        // Those at 400, 800 and 1,200 seconds come too soon.
        let count = Self.pingCount(&server, every: .seconds(200))
        #expect(count == 6)
    }

    @Test("accepts fewer while no call is open")
    func withoutCalls() throws {
        var handle: StreamHandle?
        var server = Self.server(&handle)
        server.receive(Raw.frame(Raw.reset, on: 1, Raw.word(8)))
        let count = Self.pingCount(&server, every: .seconds(300))
        #expect(count == 4)
    }
}

@Suite("An estimate of bandwidth × delay")
struct BandwidthEstimateTests {
    /// An estimate that has measured the delay.
    private static func estimate(
        limit: Int, delay: Duration, _ now: MonotonicInstant
    ) -> BandwidthEstimate {
        var estimate = BandwidthEstimate(initial: 1_000, limit: limit)
        estimate.received()
        estimate.consumed(500)
        let advice = estimate.windowUpdated(now: now - delay)
        #expect(advice == .init(measuresDelay: true))
        estimate.pingAnswered(now: now)
        return estimate
    }

    @Test("doubles while the path holds a quarter of the window, and stops at its limit")
    func grows() {
        var now = MonotonicInstant.now
        var estimate = Self.estimate(limit: 3_000, delay: .milliseconds(10), now)
        var windows: [Int?] = []
        for arrived in [1_000, 1_000, 1_500] {
            now = now + .milliseconds(10)
            estimate.consumed(arrived)
            windows.append(estimate.windowUpdated(now: now).windowByteCount)
        }
        #expect(windows == [2_000, 3_000, nil])
    }

    @Test("stays when the path holds far less than the window")
    func stays() {
        let now = MonotonicInstant.now
        var estimate = Self.estimate(limit: 3_000, delay: .milliseconds(10), now)
        estimate.consumed(500)
        // 500 bytes in 100 ms are 50 in a round trip.
        let advice = estimate.windowUpdated(now: now + .milliseconds(100))
        #expect(advice.windowByteCount == nil)
    }

    @Test("does not mistake two updates that are sent together for a fast path")
    func together() {
        let now = MonotonicInstant.now
        var estimate = Self.estimate(limit: 1 << 20, delay: .milliseconds(10), now)
        estimate.consumed(500)
        let first = estimate.windowUpdated(now: now + .seconds(1))
        #expect(first.windowByteCount == nil)
        let advice = estimate.windowUpdated(now: now + .seconds(1))
        #expect(advice.windowByteCount == nil)
    }

    @Test("measures one delay at a time, and is not changed by a late answer to a PING")
    func delay() {
        let now = MonotonicInstant.now
        var estimate = Self.estimate(limit: 1 << 20, delay: .milliseconds(1), now)
        let soon = estimate.windowUpdated(now: now + .milliseconds(1))
        #expect(!soon.measuresDelay, "it was measured a moment ago")
        let quiet = estimate.windowUpdated(now: now + .seconds(1))
        #expect(!quiet.measuresDelay, "the peer has sent nothing since")
        estimate.received()
        let later = estimate.windowUpdated(now: now + .seconds(1))
        #expect(later.measuresDelay)
        let again = estimate.windowUpdated(now: now + .seconds(1))
        #expect(!again.measuresDelay)
        // The answer waited behind data for a second. The delay of the path is still one millisecond.
        estimate.pingAnswered(now: now + .seconds(2))
        estimate.consumed(500)
        _ = estimate.windowUpdated(now: now + .seconds(2))
        estimate.consumed(500)
        let advice = estimate.windowUpdated(now: now + .seconds(2) + .milliseconds(100))
        #expect(advice.windowByteCount == nil)
        let unasked = estimate.windowByteCount
        estimate.pingAnswered(now: now)
        #expect(estimate.windowByteCount == unasked)
    }
}
