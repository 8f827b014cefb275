import Testing

@testable import SwiftletTransport

@Suite("The windows of a connection and of its streams")
struct WindowTests {
    private static func sentData(_ endpoint: inout Endpoint) -> [UInt32: Int] {
        var sums: [UInt32: Int] = [:]
        for frame in endpoint.sentFrames() where frame.type == Raw.data {
            sums[frame.stream, default: 0] += frame.payload.count
        }
        return sums
    }

    private static let kilobyte = [UInt8](repeating: 1, count: 1_024)

    @Test("A window made negative by SETTINGS recovers through WINDOW_UPDATE and never traps")
    func negative() throws {
        var client = Endpoint.client()
        let call = try client.open()
        let outcome = client.connection.sendData(Self.kilobyte, on: call, endStream: false)
        #expect(outcome == .sent)
        _ = client.output()
        client.receive(Raw.settings((4, 100)))
        let queued = client.connection.sendData([1, 2, 3], on: call, endStream: true)
        #expect(queued == .queued(3))
        client.receive(Raw.windowUpdate(1, 924))
        let nothing = Self.sentData(&client)
        #expect(nothing.isEmpty, "the window is at zero")
        client.receive(Raw.windowUpdate(1, 2))
        let two = Self.sentData(&client)
        #expect(two == [1: 2])
        client.receive(Raw.settings((4, 101)))
        let rest = Self.sentData(&client)
        #expect(rest == [1: 1])
    }

    @Test("accept SETTINGS that lower and raise them repeatedly while data is on its way")
    func swings() throws {
        var client = Endpoint.client(settings: Raw.settings((4, 0x7fff_ffff)))
        let call = try client.open()
        client.receive(Raw.windowUpdate(0, 0x7000_0000))
        var outstanding = 0
        for turn in 0..<200 {
            _ = client.connection.sendData(Self.kilobyte, on: call, endStream: false)
            outstanding += Self.sentData(&client)[1] ?? 0
            client.receive(Raw.settings((4, turn % 2 == 0 ? 0 : 0x7fff_ffff)))
        }
        let verdict = client.verdict()
        #expect(verdict == .accepted)
        #expect(outstanding > 0)
    }

    @Test("Connection window without stream window sends nothing, and does not trap")
    func noStreamWindow() throws {
        var client = Endpoint.client(settings: Raw.settings((4, 0)))
        let call = try client.open()
        _ = client.output()
        let outcome = client.connection.sendData(Self.kilobyte, on: call, endStream: true)
        #expect(outcome == .queued(1_024))
        client.receive(Raw.windowUpdate(0, 1_000_000))
        #expect(client.connection.hasOutput == false)
        let nothing = Self.sentData(&client)
        #expect(nothing.isEmpty)
        client.receive(Raw.windowUpdate(1, 1_024))
        let all = Self.sentData(&client)
        #expect(all == [1: 1_024])
    }

    @Test("that are empty allow an empty DATA frame")
    func emptyData() throws {
        var client = Endpoint.client(settings: Raw.settings((4, 0)))
        let call = try client.open()
        _ = client.output()
        let outcome = client.connection.sendData([], on: call, endStream: true)
        #expect(outcome == .sent)
        let frames = client.sentFrames()
        #expect(frames == [SentFrame(type: Raw.data, flags: 1, stream: 1, payload: [])])
    }

    @Test("New connection window goes to a stream that can use it; none starves")
    func fairness() throws {
        var client = Endpoint.client(settings: Raw.settings((4, 1 << 20)))
        let upload = try client.open()
        _ = client.connection.sendData(
            [UInt8](repeating: 0, count: 1 << 20), on: upload, endStream: true)
        _ = client.output()
        let others = try (0..<4).map { _ in try client.open() }
        client.receive(Raw.settings((4, 0)) + Raw.windowUpdate(3, 1 << 21))
        // The upload has no window left, but it is the first ready stream.
        for call in others {
            _ = client.connection.sendData(Self.kilobyte, on: call, endStream: true)
        }
        client.receive(Raw.windowUpdate(0, 50_000))
        let first = Self.sentData(&client)
        #expect(first == [3: 1_024])
        client.receive(Raw.settings((4, 1 << 20)) + Raw.windowUpdate(0, 20_000))
        let second = Self.sentData(&client)
        #expect(Set(second.keys) == [1, 5, 7, 9], "the small ones do not wait for the large one")
        #expect([5, 7, 9].allSatisfy { second[$0] == 1_024 })
    }

    @Test("are shared a frame at a time, however large the peer's frames are")
    func turns() throws {
        var client = Endpoint.client(
            settings: Raw.settings((4, 1 << 24), (5, 0xff_ffff)))
        let large = try client.open()
        client.receive(Raw.windowUpdate(0, 1 << 23))
        _ = client.connection.sendData(
            [UInt8](repeating: 0, count: 1 << 22), on: large, endStream: true)
        let small = try client.open()
        _ = client.connection.sendData(Self.kilobyte, on: small, endStream: true)
        let frames = client.sentFrames().filter { $0.type == Raw.data }
        #expect(frames.prefix(2).map(\.stream) == [1, 3])
        #expect(frames.map(\.payload.count).max() == 64 << 10)
    }

    @Test(
        "that become smaller return the bytes that were read before, so that no sender waits forever"
    )
    func loweredAfterReading() throws {
        var client = Endpoint.client()
        for _ in 0..<2 { _ = try client.open() }
        client.receive(Raw.response(1) + Raw.data(1, Self.kilobyte))
        client.receive(Raw.response(3) + Raw.data(3, Self.kilobyte, ends: true))
        _ = client.output()
        client.connection.setStreamWindow(to: 1_000, now: client.now)
        let before = client.sentFrames().map(\.type)
        #expect(before == [Raw.settings], "too little was read for an update")
        client.receive(Raw.settingsAck)
        let updates = client.sentFrames()
        #expect(updates.map(\.type) == [Raw.windowUpdate], "none for a stream that has ended")
        #expect(updates.first?.stream == 1 && updates.first?.word == 1_024)
    }

    @Test("Padding of DATA on a reset stream is still given back to the connection window")
    func paddingAfterReset() throws {
        var client = Endpoint.client()
        let call = try client.open()
        client.connection.reset(call, .cancel)
        _ = client.output()
        let frame = Raw.frame(
            Raw.data, Raw.padded, on: 1, [255] + [UInt8](repeating: 0, count: 600))
        for _ in 0..<100 { client.receive(frame) }
        #expect(client.connection.flow.receiveWindow.held == 0)
        let verdict = client.verdict()
        #expect(verdict == .accepted)
    }

    @Test("DATA that arrives after our GOAWAY is still given back to the connection window")
    func afterGoAway() throws {
        var client = Endpoint.client()
        let call = try client.open()
        client.receive(Raw.response(1))
        client.connection.goAway()
        client.receive(Raw.data(1, Self.kilobyte), consuming: false)
        #expect(client.connection.unreadByteCount == 1_024)
        client.connection.consumed(call, by: 1_024, now: client.now)
        #expect(client.connection.unreadByteCount == 0)

        var server = Endpoint.server()
        server.connection.goAway()
        server.receive(Raw.request(1) + Raw.data(1, Self.kilobyte))
        #expect(server.connection.flow.receiveWindow.held == 0)
        let verdict = server.verdict()
        #expect(verdict == .accepted, "the client could not know yet")
    }

    @Test("of a stream never stop the connection, however little its reader consumes")
    func unread() throws {
        var client = Endpoint.client()
        let unread = try (0..<64).map { _ in try client.open() }
        for stream in (0..<64).map({ UInt32(2 * $0 + 1) }) {
            client.receive(Raw.response(stream))
            for _ in 0..<4 {
                client.receive(
                    Raw.data(stream, [UInt8](repeating: 0, count: 16_384)), consuming: false)
            }
        }
        #expect(client.connection.unreadByteCount == 64 * 65_536)
        #expect(client.connection.flow.receiveWindow.held == 0)
        #expect(client.connection.flow.receiveWindow.available >= 65_536)
        for stream in unread {
            let window = client.connection.streams[Int(stream.slot)].receiveWindow
            #expect(window.available == 0 && window.target == 65_536)
        }
        let beside = try client.open()
        client.receive(Raw.response(129) + Raw.data(129, Self.kilobyte))
        let verdict = client.verdict()
        #expect(verdict == .accepted)
        #expect(client.connection.streams[Int(beside.slot)].receiveWindow.available > 0)
    }

    @Test("Cancelling a stream that had reserved window gives it back", arguments: [true, false])
    func cancelled(byPeer: Bool) throws {
        var client = Endpoint.client()
        let call = try client.open()
        client.receive(
            Raw.response(1) + Raw.data(1, Self.kilobyte) + Raw.data(1, Self.kilobyte),
            consuming: false)
        #expect(client.connection.unreadByteCount == 2_048)
        if byPeer {
            client.receive(Raw.frame(Raw.reset, on: 1, Raw.word(8)))
        } else {
            client.connection.reset(call, .cancel)
        }
        #expect(client.connection.unreadByteCount == 0)
        #expect(client.connection.flow.receiveWindow.held == 0)
    }

    @Test("of a stream grow by no more than its reader consumed")
    func growth() throws {
        var window = ReceiveWindow(byteCount: 1_000)
        var granted = 1_000
        var consumed = 0
        for _ in 0..<200 {
            let arrived = window.receive(Int(window.available))
            try #require(arrived)
            let count = Int(window.held) / 3 + 1
            consumed += count
            granted += Int(window.consume(count, growingTo: 20_000) ?? 0)
            try #require(granted <= 1_000 + 2 * consumed)
            try #require(Int(window.target) <= 1_000 + consumed)
        }
        #expect(window.target == 20_000)
    }

    @Test("of a stream grow for a reader that keeps up, and not for one that leaves bytes unread")
    func slowReader() throws {
        // Reads in pieces of a tenth of the first window, until `unread` bytes are left of all that the
        // window lets in.
        func size(afterLeaving unread: Int) throws -> Int32 {
            var window = ReceiveWindow(byteCount: 1_000)
            for _ in 0..<200 {
                let arrived = window.receive(Int(window.available))
                try #require(arrived)
                while Int(window.held) > unread {
                    let count = min(100, Int(window.held) - unread)
                    _ = window.consume(
                        count, leaving: Int(window.held) - count, growingTo: 20_000)
                }
            }
            return window.target
        }
        #expect(try size(afterLeaving: 0) == 20_000)
        #expect(try size(afterLeaving: 300) == 1_000)
    }

    @Test("of a stream do not grow by padding, which no reader consumes")
    func padding() throws {
        var configuration = ConnectionConfiguration(.client)
        configuration.receiveWindows = .automatic(initial: 65_536, limit: 1 << 20)
        var client = Endpoint.client(configuration)
        let call = try client.open()
        client.receive(Raw.response(1))
        let frame = Raw.frame(
            Raw.data, Raw.padded, on: 1, [255, 7] + [UInt8](repeating: 0, count: 255))
        for _ in 0..<2_000 {
            client.receive(frame, consuming: false)
            // So that the path is measured, which lets windows grow.
            for ping in client.sentFrames() where ping.type == Raw.ping {
                client.receive(Raw.frame(Raw.ping, 1, on: 0, ping.payload), consuming: false)
            }
        }
        let verdict = client.verdict()
        #expect(verdict == .accepted)
        #expect(client.connection.streams[Int(call.slot)].receiveWindow.target == 65_536)
    }

    @Test("are enforced exactly", arguments: [0, 1])
    func overrun(_ excess: Int) throws {
        var configuration = ConnectionConfiguration(.client)
        configuration.receiveWindows = .fixed(1_000)
        var client = Endpoint.client(configuration)
        _ = try client.open()
        client.receive(
            Raw.response(1) + Raw.data(1, [UInt8](repeating: 0, count: 1_000 + excess)),
            consuming: false)
        let verdict = client.verdict()
        #expect(verdict == (excess == 0 ? .accepted : .stream(.flowControlError)))
        #expect(client.connection.unreadByteCount == (excess == 0 ? 1_000 : 0))
    }

    @Test("of the connection is enforced exactly")
    func connectionOverrun() throws {
        var configuration = ConnectionConfiguration(.client)
        configuration.maxFrameByteCount = 1 << 20
        configuration.receiveWindows = .fixed(100_000)
        var client = Endpoint.client(configuration)
        _ = try client.open()
        client.receive(Raw.response(1))
        let window = Int(client.connection.flow.receiveWindow.available)
        #expect(window == 4 * 65_535)
        client.receive(Raw.data(1, [UInt8](repeating: 0, count: window + 1)), consuming: false)
        let verdict = client.verdict()
        #expect(verdict == .connection(.flowControlError))
    }

    @Test("Our SETTINGS take effect when acknowledged, not when sent")
    func acknowledgement() throws {
        var configuration = ConnectionConfiguration(.client)
        configuration.receiveWindows = .fixed(100)
        var client = Endpoint(configuration)
        client.receive(Raw.settings())
        _ = try client.open()
        client.receive(
            Raw.response(1) + Raw.data(1, Self.kilobyte), consuming: false)
        let early = client.verdict()
        #expect(early == .accepted, "the server goes by the 65,535 that it knows of")
        client.receive(Raw.settingsAck)
        client.receive(Raw.data(1, [1]), consuming: false)
        let late = client.verdict()
        #expect(late == .stream(.flowControlError))
    }

    @Test("are returned in few large updates, as the bytes are consumed")
    func updates() throws {
        var configuration = ConnectionConfiguration(.client)
        configuration.receiveWindows = .fixed(10_000)
        var client = Endpoint.client(configuration)
        let call = try client.open()
        client.receive(Raw.response(1))
        _ = client.output()
        client.receive(Raw.data(1, [UInt8](repeating: 0, count: 10_000)), consuming: false)
        for _ in 0..<100 { client.connection.consumed(call, by: 100, now: client.now) }
        let updates = client.sentFrames().filter { $0.type == Raw.windowUpdate }
        #expect(updates.map(\.stream) == [1, 1])
        #expect(updates.map(\.word) == [5_000, 5_000])
    }

    @Test("grow at once for a message that the reader waits for, up to the limit")
    func awaited() throws {
        var configuration = ConnectionConfiguration(.client)
        configuration.receiveWindows = .automatic(initial: 65_536, limit: 1 << 20)
        var client = Endpoint.client(configuration)
        let calls = try (0..<2).map { _ in try client.open() }
        client.receive(Raw.response(1) + Raw.response(3))
        _ = client.output()
        for (stream, expected) in [(UInt32(1), 500_000), (3, 1 << 20)] {
            let bytes = [UInt8](repeating: 0, count: 10_000)
            client.receive(Raw.data(stream, bytes), consuming: false)
            client.connection.consumed(
                calls[Int(stream / 2)],
                Consumption(byteCount: 10_000, awaitedByteCount: stream == 1 ? expected : .max),
                now: client.now)
            let updates = client.sentFrames().filter { $0.type == Raw.windowUpdate }
            #expect(
                updates.first { $0.stream == stream }?.word
                    == UInt32(expected - (65_536 - 10_000)))
            #expect(updates.contains { $0.stream == 0 }, "the connection's window must not stop it")
            #expect(client.connection.flow.receiveWindow.target == Int32(2 * expected))
        }
    }

    @Test("of a fixed size do not grow for a message that the reader waits for")
    func awaitedInFixedWindow() throws {
        var configuration = ConnectionConfiguration(.client)
        configuration.receiveWindows = .fixed(100_000)
        var client = Endpoint.client(configuration)
        let call = try client.open()
        client.receive(Raw.response(1))
        _ = client.output()
        client.receive(Raw.data(1, [UInt8](repeating: 0, count: 10_000)), consuming: false)
        client.connection.consumed(
            call, Consumption(byteCount: 10_000, awaitedByteCount: 500_000), now: client.now)
        let updates = client.sentFrames().filter { $0.type == Raw.windowUpdate }
        #expect(updates.isEmpty, "less than half was consumed")
        #expect(client.connection.streams[Int(call.slot)].receiveWindow.target == 100_000)
    }

    @Test("of 2³¹−1 bytes are granted whole")
    func largest() {
        var configuration = ConnectionConfiguration(.client)
        configuration.receiveWindows = .fixed(.max)
        let client = Endpoint(configuration)
        #expect(client.connection.flow.receiveWindow.available == .max)
    }

    @Test("A waiter for window wakes when the library itself resets the stream")
    func waiter() throws {
        var client = Endpoint.client(settings: Raw.settings((4, 0)))
        let call = try client.open()
        _ = client.connection.sendData(
            [UInt8](repeating: 0, count: 100_000), on: call, endStream: false)
        let waits = client.connection.reportWhenSendQueueIsShort(call)
        #expect(waits)
        client.receive(Raw.data(1, [1]))
        let events = client.takeEvents()
        guard case .streamFailed(call, _)? = events.last else {
            Issue.record("no report arrived")
            return
        }
        let again = client.connection.reportWhenSendQueueIsShort(call)
        #expect(!again)
    }

    @Test("report once when a queue has become short")
    func roomReport() throws {
        var client = Endpoint.client()
        let call = try client.open()
        _ = client.connection.sendData(
            [UInt8](repeating: 0, count: 80_000), on: call, endStream: false)
        let waits = client.connection.reportWhenSendQueueIsShort(call)
        #expect(waits)
        _ = client.output()
        let report = client.connection.nextRoomReport()
        #expect(report == call)
        let second = client.connection.nextRoomReport()
        #expect(second == nil)
    }
}
