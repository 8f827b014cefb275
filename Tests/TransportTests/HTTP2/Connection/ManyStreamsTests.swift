import Testing

@testable import SwiftletTransport

@Suite("A connection that once had many streams")
struct ManyStreamsTests {
    /// A client that has had 100,000 waiting streams, all of which were cancelled.
    private static func client() throws -> Endpoint {
        var client = Endpoint.client(settings: Raw.settings((3, 1)))
        let running = try client.open()
        let waiting = try (0..<100_000).map { _ in try client.open() }
        for call in waiting { client.connection.reset(call, .cancel) }
        _ = client.output()
        #expect(client.connection.streamCount == 1)
        client.connection.reset(running, .cancel)
        _ = client.output()
        return client
    }

    @Test("accepts usual changes of its windows")
    func windowChanges() throws {
        var client = try Self.client()
        _ = try client.open()
        for size: UInt32 in 0..<100 {
            client.receive(Raw.settings((4, 65_535 + size)))
            _ = client.output()
        }
        let verdict = client.verdict()
        #expect(verdict == .accepted)
    }

    @Test("accepts usual changes also while streams wait and end beside an open one")
    func besideOne() throws {
        var client = Endpoint.client(settings: Raw.settings((3, 1)))
        let running = try client.open()
        let waiting = try (0..<100_000).map { _ in try client.open() }
        for call in waiting { client.connection.reset(call, .cancel) }
        for size: UInt32 in 0..<100 {
            client.receive(Raw.settings((4, 65_535 + size)))
            _ = client.output()
        }
        let verdict = client.verdict()
        #expect(verdict == .accepted)
        #expect(client.connection.hasRoomForStream == false)
        client.connection.reset(running, .cancel)
        let hasRoom = client.connection.hasRoomForStream
        #expect(hasRoom)
    }

    @Test("frees their memory, and an old handle names no stream")
    func memory() throws {
        var client = Endpoint.client(settings: Raw.settings((3, 1)))
        let first = try client.open()
        let waiting = try (0..<100_000).map { _ in try client.open() }
        let isLong = client.connection.streams.slotCount > 100_000
        #expect(isLong)
        for call in [first] + waiting { client.connection.reset(call, .cancel) }
        _ = client.output()
        let capacity = client.connection.streams.slotCount
        #expect(capacity <= 1_024)
        let queueCount = client.connection.streams.queueCount
        #expect(queueCount <= 1_024)
        let call = try client.open()
        #expect(first != call && !waiting.contains(call))
        #expect(client.connection.isWaiting(first) == false)
        client.connection.reset(first, .cancel)
        #expect(client.connection.streamCount == 1)
    }

    /// The number of frames, up to 5,000, that a client with open streams accepts.
    private static func acceptedCount(
        openCount: Int, _ frame: (Int) -> [UInt8]
    ) throws -> Int {
        var client = Endpoint.client()
        for _ in 0..<openCount { _ = try client.open() }
        _ = client.output()
        var taken = 0
        while taken < 5_000, !client.connection.hasFailed {
            client.receive(frame(taken))
            _ = client.output()
            taken += 1
        }
        return taken
    }

    @Test("charges for a change of windows by the count of open streams", arguments: [0, 30_000])
    func charge(openCount: Int) throws {
        let taken = try Self.acceptedCount(openCount: openCount) { number in
            Raw.settings((4, UInt32(70_000 + number)))
        }
        #expect(openCount == 0 ? taken > 900 : taken < 40, "\(taken)")
    }

    @Test("charges for a repeated GOAWAY by the count of open streams", arguments: [0, 30_000])
    func chargeForGoAway(openCount: Int) throws {
        let taken = try Self.acceptedCount(openCount: openCount) { _ in
            Raw.goAway(last: 0x7fff_ffff)
        }
        #expect(openCount == 0 ? taken > 900 : taken < 40, "\(taken)")
    }
}
