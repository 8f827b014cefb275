import Testing

@testable import SwiftletTransport

@Suite("A DATA frame whose content the caller places")
struct PlacedDataTests {
    private static func header(
        _ byteCount: Int, on stream: UInt32 = 1, type: FrameType = .data
    ) -> FrameHeader {
        FrameHeader(type: type, streamID: StreamID(wire: stream), payloadByteCount: byteCount)
    }

    @Test("belongs to an open stream, has no flags and a legal size, and is not in a header block")
    func candidates() throws {
        var client = Endpoint.client()
        let call = try client.open()
        client.receive(Raw.response(1))
        let stream = client.connection.streamToPlace(Self.header(16_384))
        #expect(stream == call)

        var ended = Self.header(10)
        ended.flags = .endStream
        let others = [
            ended, Self.header(16_385), Self.header(10, on: 3), Self.header(10, type: .headers),
        ]
        for header in others {
            let stream = client.connection.streamToPlace(header)
            #expect(stream == nil, "\(header)")
        }
        client.receive(Raw.frame(Raw.headers, Raw.endStream, on: 1, []))
        let inside = client.connection.streamToPlace(Self.header(10))
        #expect(inside == nil)
    }

    /// The reaction of the client to ten bytes of DATA on stream 1 after other frames.
    private struct Effect: Equatable {
        var verdict: Verdict
        var sent: [SentFrame]
        var dataByteCount: Int?
        var unreadByteCount: Int
        var counts: TrafficCounts
    }

    private static func effect(after earlier: [UInt8], isPlaced: Bool) throws -> Effect {
        var client = Endpoint.client()
        _ = try client.open()
        client.receive(earlier, consuming: false)
        client.events = []
        if !isPlaced {
            client.receive(Raw.data(1, [UInt8](repeating: 0, count: 10)), consuming: false)
        } else if let event = client.connection.receive(placed: header(10), now: client.now) {
            client.events.append(event)
        }
        let events = client.takeEvents()
        client.events = events
        var dataByteCount: Int?
        if case .data(_, let range, false)? = events.last { dataByteCount = range.count }
        let unread = client.connection.unreadByteCount
        let counts = client.connection.counts
        let sent = client.sentFrames()
        return Effect(
            verdict: client.verdict(), sent: sent, dataByteCount: dataByteCount,
            unreadByteCount: unread, counts: counts)
    }

    @Test(
        "has the same effect as one that is received whole",
        arguments: [
            (Raw.response(1), Verdict.accepted),
            ([], .stream(.protocolError)),
            (
                Raw.frame(
                    Raw.headers, Raw.endHeaders, on: 1,
                    Raw.responseBlock + Raw.literal("content-length", "9")),
                .stream(.protocolError)
            ),
            (
                Raw.response(1) + Raw.frame(Raw.headers, Raw.endStream, on: 1, []),
                .connection(.protocolError)
            ),
            (Raw.response(1, ends: true), .stream(.streamClosed)),
            (Raw.data(0, []), .accepted),
        ])
    func effects(earlier: [UInt8], verdict: Verdict) throws {
        let whole = try Self.effect(after: earlier, isPlaced: false)
        let placed = try Self.effect(after: earlier, isPlaced: true)
        #expect(placed == whole)
        #expect(placed.verdict == verdict)
    }
}
