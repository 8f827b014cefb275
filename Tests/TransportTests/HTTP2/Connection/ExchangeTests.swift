import Testing

@testable import SwiftletTransport

@Suite("Two connections without a network between them")
struct ExchangeTests {
    @Test("transmit a request, a response and trailers, and release the stream")
    func unary() throws {
        var pair = EnginePair()
        pair.settle()
        let begun = pair.client.takeEvents()
        #expect(begun == [.ready])
        let accepted = pair.server.takeEvents()
        #expect(accepted == [.ready])

        let call = try pair.client.connection.openStream(nil, .request, endStream: false)
        let isOpen = !pair.client.connection.hasSentEnd(of: call)
        #expect(isOpen)
        let outcome1 = pair.client.connection.sendData([1, 2, 3], on: call, endStream: true)
        #expect(outcome1 == .sent)
        let isHalfClosed = pair.client.connection.hasSentEnd(of: call)
        #expect(isHalfClosed)
        pair.settle()
        let served = try #require(pair.server.bodies.keys.first)
        #expect(pair.server.headers.map(\.lines) == [HeaderList.request.lines])
        #expect(pair.server.bodies[served] == [1, 2, 3])

        let outcome2 = pair.server.connection.sendHeaders(
            nil, .response, on: served, endStream: false)
        #expect(outcome2)
        let outcome3 = pair.server.connection.sendData([4, 5], on: served, endStream: false)
        #expect(outcome3 == .sent)
        let outcome4 = pair.server.connection.sendHeaders(
            nil, .trailers, on: served, endStream: true)
        #expect(outcome4)
        pair.settle()
        #expect(
            pair.client.headers.map(\.lines) == [
                HeaderList.response.lines, HeaderList.trailers.lines,
            ])
        #expect(pair.client.bodies[call] == [4, 5])
        let ended = pair.client.takeEvents().last
        #expect(ended == .headers(call, .trailers, endStream: true))
        let isKnown = pair.client.connection.hasSentEnd(of: call)
        #expect(!isKnown)
        #expect(pair.client.connection.streamCount == 0)
        #expect(pair.server.connection.streamCount == 0)
    }

    @Test(
        "transmit more bytes than a window in both directions",
        arguments: [1, 65_535, 65_536, 3_000_000])
    func large(byteCount: Int) throws {
        var pair = EnginePair()
        let call = try pair.client.connection.openStream(nil, .request, endStream: false)
        let body = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        _ = pair.client.connection.sendData(body, on: call, endStream: true)
        pair.settle()
        let served = try #require(pair.server.bodies.keys.first)
        #expect(pair.server.bodies[served] == body)

        let outcome5 = pair.server.connection.sendHeaders(
            nil, .response, on: served, endStream: false)
        #expect(outcome5)
        _ = pair.server.connection.sendData(body, on: served, endStream: false)
        let outcome6 = pair.server.connection.sendHeaders(
            nil, .trailers, on: served, endStream: true)
        #expect(outcome6)
        pair.settle()
        #expect(pair.client.bodies[call] == body)
        #expect(pair.client.headers.last?.lines == HeaderList.trailers.lines)
        #expect(pair.client.connection.streamCount == 0)
        #expect(pair.server.connection.streamCount == 0)
    }

    @Test("transmit several arrays like one", arguments: [false, true])
    func parts(withWindow: Bool) throws {
        var pair = EnginePair()
        if withWindow { pair.settle() }
        let call = try pair.client.connection.openStream(nil, .request, endStream: false)
        let parts = [3, 40_000, 0, 1, 100_000, 5_000].map { byteCount in
            (0..<byteCount).map { UInt8(truncatingIfNeeded: byteCount &+ $0 &* 31) }
        }
        let outcome = pair.client.connection.sendData(parts: parts, on: call, endStream: false)
        #expect(outcome == .queued(145_004))
        let behind = pair.client.connection.sendData([9], on: call, endStream: true)
        #expect(behind == .queued(145_005))
        pair.settle()
        let served = try #require(pair.server.bodies.keys.first)
        #expect(pair.server.bodies[served] == parts.flatMap(\.self) + [9])
        let late = pair.client.connection.sendData(parts: parts, on: call, endStream: true)
        #expect(late == .closed)
    }

    @Test("stop the sender while the receiver does not read")
    func backPressure() throws {
        var pair = EnginePair()
        let call = try pair.client.connection.openStream(nil, .request, endStream: false)
        _ = pair.client.connection.sendData(
            [UInt8](repeating: 7, count: 1 << 20), on: call, endStream: true)
        pair.settle(consuming: false)
        let served = try #require(pair.server.bodies.keys.first)
        #expect(pair.server.bodies[served]?.count == 64 << 10)
        pair.server.connection.consumed(served, by: 64 << 10, now: pair.server.now)
        pair.settle()
        #expect(pair.server.bodies[served]?.count == 1 << 20)
    }

    @Test("open no more streams than the server allows, and the others in order")
    func concurrencyLimit() throws {
        var configuration = ConnectionConfiguration(.server)
        configuration.maxConcurrentStreams = 2
        var pair = EnginePair(server: configuration)
        var calls: [StreamHandle] = []
        for _ in 0..<5 {
            calls.append(try pair.client.connection.openStream(nil, .request, endStream: true))
        }
        pair.settle()
        #expect(pair.server.headers.count == 2)
        pair.client.connection.reset(calls[0], .cancel)
        pair.client.connection.reset(calls[4], .cancel)
        pair.settle()
        #expect(pair.server.headers.count == 3)
        #expect(pair.client.connection.streamCount == 3)
    }
}
