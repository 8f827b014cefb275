import Testing

@testable import SwiftletTransport

@Suite("SETTINGS_MAX_CONCURRENT_STREAMS")
struct ConcurrencyLimitTests {
    private static func opened(_ endpoint: inout Endpoint) -> [UInt32] {
        endpoint.sentFrames().filter { $0.type == Raw.headers }.map(\.stream)
    }

    @Test("Streams never exceed the peer's MAX_CONCURRENT_STREAMS, also before its SETTINGS arrive")
    func beforeSettings() throws {
        var client = Endpoint(.init(.client))
        for _ in 0..<3 { _ = try client.open(ends: true) }
        let early = Self.opened(&client)
        #expect(early.isEmpty)
        client.receive(Raw.settings((3, 2)))
        let first = Self.opened(&client)
        #expect(first == [1, 3])
        client.receive(Raw.response(3, ends: true))
        let second = Self.opened(&client)
        #expect(second == [5])
    }

    @Test("opens waiting streams in order, without cancelled ones, with their DATA and their end")
    func order() throws {
        var client = Endpoint.client(settings: Raw.settings((3, 1)))
        let calls = try (0..<4).map { _ in try client.open() }
        for (index, call) in calls.enumerated() {
            _ = client.connection.sendData([UInt8(index)], on: call, endStream: true)
        }
        _ = client.output()
        client.connection.reset(calls[1], .cancel)
        client.receive(Raw.response(1, ends: true))
        let frames = client.sentFrames()
        #expect(
            frames.map(\.type) == [Raw.headers, Raw.data] && frames.map(\.stream) == [3, 3])
        #expect(frames.last?.payload == [2])
        #expect(frames.last?.flags == Raw.endStream)
        client.connection.reset(calls[2], .cancel)
        let more = client.sentFrames()
        #expect(more.map(\.type) == [Raw.reset, Raw.headers, Raw.data])
        #expect(more.last?.payload == [3])
    }

    @Test("opens streams while less than the limit of output is unread, and none at the limit")
    func outputLimit() throws {
        let limit = Limits.openingOutputByteCount
        for isBelow in [true, false] {
            var client = Endpoint.client()
            _ = client.output()
            // An acknowledgement of SETTINGS has 9 bytes and a PING has 17.
            let ackCount = (0..<17).first { (limit - 9 * $0) % 17 == 0 } ?? 0
            for _ in 0..<ackCount { client.receive(Raw.settings()) }
            let pingCount = (limit - 9 * ackCount) / 17
            for ping in 0..<pingCount - (isBelow ? 1 : 0) { client.connection.ping(UInt64(ping)) }
            let byteCount = client.connection.outbox.byteCount
            #expect(byteCount == limit - (isBelow ? 17 : 0))
            let call = try client.open(ends: true)
            let waits = client.connection.isWaiting(call)
            #expect(waits != isBelow)
        }
    }

    @Test("makes streams wait while the peer does not read, and drops those that end")
    func unreadOutput() throws {
        var client = Endpoint.client()
        _ = client.output()
        for _ in 0..<20_000 {
            let call = try client.open(ends: true)
            client.connection.reset(call, .cancel)
        }
        let last = try client.open(ends: true)
        let waits = client.connection.isWaiting(last)
        #expect(waits)
        let byteCount = client.connection.outbox.byteCount
        #expect(byteCount < 300 << 10)
        let opened = Self.opened(&client)
        let stillWaits = client.connection.isWaiting(last)
        #expect(!stillWaits)
        #expect(opened.count < 20_000)
    }

    @Test("opens none of the waiting streams that end together with the open ones")
    func commonEnd() throws {
        var client = Endpoint.client(settings: Raw.settings((3, 2)))
        let calls = try (0..<100).map { _ in try client.open(ends: true) }
        _ = client.output()
        for call in calls { client.connection.reset(call, .cancel) }
        let frames = client.sentFrames()
        #expect(frames.map(\.type) == [Raw.reset, Raw.reset])
        #expect(client.connection.streamCount == 0)
        #expect(client.connection.streamRoom == 2)
        #expect(client.connection.startedStreamCount == 2)
        for call in calls {
            let waits = client.connection.isWaiting(call)
            #expect(!waits)
        }
    }

    @Test("opens a stream that awaits its fields when they are set, and not before")
    func awaitedFields() throws {
        var client = Endpoint.client(settings: Raw.settings((3, 1)))
        let first = try client.open(ends: true)
        let second = try client.open(ends: true)
        client.connection.awaitFields(of: second)
        let before = client.connection.streamAwaitingFields
        #expect(before == nil, "it could not open")
        client.connection.reset(first, .cancel)
        let awaiting = client.connection.streamAwaitingFields
        #expect(awaiting == second)
        var early = GatherList()
        client.connection.takeOutput(into: &early)
        #expect(SentFrame.all(in: early.bytes).map(\.stream) == [1, 1])
        client.connection.setFields(.request, of: second)
        let after = client.connection.streamAwaitingFields
        #expect(after == nil)
        let opened = Self.opened(&client)
        #expect(opened == [3])
    }

    @Test("includes waiting streams in the count of available streams")
    func room() throws {
        var client = Endpoint.client(settings: Raw.settings((3, 2)))
        let calls = try (0..<3).map { _ in try client.open(ends: true) }
        _ = client.output()
        client.connection.reset(calls[0], .cancel)
        let hasOutput = client.connection.hasOutput
        #expect(hasOutput)
        #expect(client.connection.streamRoom == 0)
        let opened = Self.opened(&client)
        #expect(opened == [5])
        client.connection.reset(calls[1], .cancel)
        #expect(client.connection.streamRoom == 1)
    }

    @Test("does not open a new stream before the waiting ones")
    func lateComer() throws {
        var client = Endpoint.client(settings: Raw.settings((3, 1)))
        _ = try client.open(ends: true)
        let waiting = try client.open()
        _ = client.connection.sendData([9], on: waiting, endStream: true)
        _ = client.output()
        client.receive(Raw.settings((3, 2)))
        _ = try client.open()
        let frames = client.sentFrames().filter { $0.type != Raw.settings }
        #expect(frames.map(\.stream) == [3, 3])
        #expect(frames.last?.payload == [9])
    }

    @Test("lowered under open streams lets them end, and opens none until there is room")
    func lowered() throws {
        var client = Endpoint.client(settings: Raw.settings((3, 3)))
        for _ in 0..<4 { _ = try client.open(ends: true) }
        _ = client.output()
        client.receive(Raw.settings((3, 1)) + Raw.response(1, ends: true))
        client.receive(Raw.response(3, ends: true))
        let none = Self.opened(&client)
        #expect(none.isEmpty)
        client.receive(Raw.response(5, ends: true))
        let last = Self.opened(&client)
        #expect(last == [7])
    }

    @Test("of zero keeps everything waiting")
    func zero() throws {
        var client = Endpoint.client(settings: Raw.settings((3, 0)))
        let call = try client.open(ends: true)
        let none = Self.opened(&client)
        #expect(none.isEmpty)
        #expect(client.connection.hasRoomForStream == false)
        client.connection.reset(call, .cancel)
        #expect(client.connection.streamCount == 0)
        _ = try client.open(ends: true)
        client.receive(Raw.settings((3, 1)))
        let one = Self.opened(&client)
        #expect(one == [1])
    }

    @Test("of ours refuses streams above it, without other effects")
    func refused() throws {
        var configuration = ConnectionConfiguration(.server)
        configuration.maxConcurrentStreams = 1
        var server = Endpoint.server(configuration)
        server.receive(Raw.request(1) + Raw.request(3) + Raw.data(3, [1, 2], ends: true))
        let frames = server.sentFrames()
        #expect(frames.map(\.type) == [Raw.reset])
        #expect(frames.first?.stream == 3)
        #expect(frames.first?.word == ErrorCode.refusedStream.rawValue)
        #expect(server.connection.streamCount == 1)
        #expect(server.connection.flow.receiveWindow.held == 0)
    }

    @Test("of ours limits a client that has not acknowledged it to 100 streams")
    func unacknowledged() throws {
        var configuration = ConnectionConfiguration(.server)
        configuration.maxConcurrentStreams = 1
        var server = Endpoint(configuration)
        server.receive(Raw.magic + Raw.settings())
        server.receive((0..<101).flatMap { Raw.request(UInt32($0 * 2 + 1)) })
        #expect(server.connection.streamCount == 100)
    }
}
