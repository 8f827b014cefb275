import Testing

@testable import SwiftletTransport

@Suite("GOAWAY")
struct GoAwayTests {
    @Test("GOAWAY lets older streams finish and fails younger ones as unavailable, safe to retry")
    func fromServer() throws {
        var client = Endpoint.client(settings: Raw.settings((3, 3)))
        var calls: [StreamHandle] = []
        for _ in 0..<4 { calls.append(try client.open(ends: true)) }
        client.receive(Raw.goAway(last: 3))
        let events = client.takeEvents()
        #expect(events.count == 3)
        #expect(events.contains(.unprocessed(calls[2])))
        #expect(events.contains(.unsent(calls[3])))
        #expect(client.connection.isDraining == true)
        #expect(throws: Connection.OpenRefusal.draining) { try client.open() }
        client.receive(Raw.response(1, ends: true) + Raw.response(3, ends: true))
        let ended = client.takeEvents()
        #expect(
            ended == [
                .headers(calls[0], .initial, endStream: true),
                .headers(calls[1], .initial, endStream: true),
            ])
        #expect(client.connection.streamCount == 0)
    }

    @Test("in two steps ends streams only with the second")
    func gracefulFromServer() throws {
        var client = Endpoint.client()
        let calls = try (0..<2).map { _ in try client.open(ends: true) }
        client.receive(Raw.goAway(last: 0x7fff_ffff))
        let first = client.takeEvents()
        #expect(first.count == 1)
        client.receive(Raw.goAway(last: 1))
        let second = client.takeEvents()
        #expect(second.last == .unprocessed(calls[1]))
        client.receive(Raw.response(1, ends: true))
        let third = client.takeEvents()
        #expect(third == [.headers(calls[0], .initial, endStream: true)])
    }

    @Test("with an error has its cause, and higher streams may use another connection")
    func withError() throws {
        var client = Endpoint.client()
        let call = try client.open(ends: true)
        client.receive(
            Raw.frame(Raw.goAway, Raw.word(0) + Raw.word(11) + Array("too_many_pings".utf8)))
        let events = client.takeEvents()
        #expect(
            events == [
                .goAway(
                    GoAwayFrame(
                        lastStreamID: .connection, code: .enhanceYourCalm,
                        debugData: Array("too_many_pings".utf8))),
                .unprocessed(call),
            ])
    }

    @Test("of ours, in two steps, excludes no stream before a round trip has passed")
    func gracefulOfOurs() throws {
        var server = Endpoint.server()
        server.receive(Raw.request(1, ends: true))
        server.connection.shutDownGracefully()
        let frames = server.sentFrames()
        #expect(frames.map(\.type) == [Raw.goAway, Raw.ping])
        #expect(frames[0].word == 0x7fff_ffff)
        server.receive(Raw.request(3, ends: true))
        server.receive(Raw.frame(Raw.ping, Raw.ack, frames[1].payload))
        let last = server.sentFrames()
        #expect(last.map(\.type) == [Raw.goAway])
        #expect(last[0].word == 3)
        server.receive(Raw.request(5, ends: true))
        #expect(server.connection.streamCount == 2)
        let verdict = server.verdict()
        #expect(verdict == .accepted)
    }

    @Test("of a client does not prevent opening streams that wait")
    func waiting() throws {
        var client = Endpoint.client(settings: Raw.settings((3, 1)))
        let calls = try (0..<2).map { _ in try client.open(ends: true) }
        client.connection.goAway()
        #expect(throws: Connection.OpenRefusal.draining) { try client.open() }
        client.receive(Raw.response(1, ends: true))
        let frames = client.sentFrames().filter { $0.type == Raw.headers }
        #expect(frames.map(\.stream) == [1, 3])
        client.receive(Raw.response(3, ends: true))
        let last = client.takeEvents().last
        #expect(last == .headers(calls[1], .initial, endStream: true))
    }

    @Test("of ours, at once, ignores younger requests and never names more streams later")
    func hardOfOurs() throws {
        var server = Endpoint.server()
        server.receive(Raw.request(1, ends: true))
        server.connection.goAway(.enhanceYourCalm, debugData: "enough")
        server.receive(Raw.request(3) + Raw.data(3, [1, 2, 3], ends: true))
        #expect(server.connection.streamCount == 1)
        server.connection.goAway()
        server.receive(Raw.data(0, [1]))
        let frames = server.sentFrames()
        #expect(frames.map(\.type) == [Raw.goAway, Raw.goAway, Raw.goAway])
        #expect(frames.map(\.word) == [1, 1, 1])
        #expect(frames.map(\.secondWord) == [11, 0, 1])
    }

    @Test("of ours, at once, is not repeated when a graceful shutdown had begun before")
    func hardAfterGraceful() throws {
        var server = Endpoint.server()
        server.receive(Raw.request(1, ends: true))
        server.connection.shutDownGracefully()
        server.connection.goAway()
        let frames = server.sentFrames()
        #expect(frames.map(\.type) == [Raw.goAway, Raw.ping, Raw.goAway])
        #expect(frames[2].word == 1)
        server.receive(Raw.frame(Raw.ping, Raw.ack, frames[1].payload))
        let more = server.sentFrames()
        #expect(more.isEmpty)
    }

    @Test("of ours may exclude a request that has arrived, and those after it")
    func excludingRequest() throws {
        var server = Endpoint.server()
        server.receive(Raw.request(1) + Raw.request(3) + Raw.request(5))
        guard case .headers(let second, _, _) = server.takeEvents()[1] else {
            Issue.record("no second request")
            return
        }
        server.connection.goAway(before: second)
        let frames = server.sentFrames()
        #expect(frames.map(\.type) == [Raw.goAway])
        #expect(frames.map(\.word) == [1])
    }

    @Test("is the last frame after a connection error, and bytes that arrive later are ignored")
    func afterFailure() throws {
        var client = Endpoint.client()
        let call = try client.open()
        _ = client.connection.sendData(
            [UInt8](repeating: 0, count: 70_000), on: call, endStream: true)
        client.receive(Raw.data(0, [1]) + Raw.frame(Raw.ping, Raw.word(0) + Raw.word(0)))
        let frames = client.sentFrames()
        #expect(frames.last?.type == Raw.goAway)
        #expect(client.connection.hasOutput == false)
        client.receive(Raw.response(1))
        let events = client.takeEvents()
        #expect(events.count == 1)
        #expect(client.connection.hasFailed == true)
        let outcome = client.connection.sendData([1], on: call, endStream: true)
        #expect(outcome == .closed)
        client.connection.reset(call, .cancel)
        #expect(client.connection.hasOutput == false)
        #expect(throws: Connection.OpenRefusal.failed) { try client.open() }
    }
}
