import Testing

@testable import SwiftletTransport

@Suite("A stream, as its peer uses it")
struct StreamOrderTests {
    /// The frames that arrive on stream 1, in order, and their outcome.
    struct Script: CustomTestStringConvertible {
        var testDescription: String
        var bytes: [UInt8]
        var verdict: Verdict
        /// Whether the stream is closed at the receiver, which has already ended its own half.
        var isOver: Bool

        init(_ description: String, _ frames: [[UInt8]], _ verdict: Verdict, over: Bool = true) {
            testDescription = description
            bytes = frames.flatMap { $0 }
            self.verdict = verdict
            isOver = over
        }
    }

    private static let hints: [UInt8] = Raw.frame(
        Raw.headers, Raw.endHeaders, on: 1, Raw.interimBlock)
    private static let resetFrame: [UInt8] = Raw.frame(Raw.reset, on: 1, Raw.word(0))

    private static func answer(_ fields: [UInt8], ends: Bool = false) -> [UInt8] {
        Raw.frame(
            Raw.headers, Raw.endHeaders | (ends ? Raw.endStream : 0), on: 1,
            Raw.responseBlock + fields)
    }

    /// A response that has no body, by the index of its status in the static table.
    private static func bodiless(_ status: UInt8, _ fields: [UInt8]) -> [UInt8] {
        Raw.frame(Raw.headers, Raw.endHeaders | Raw.endStream, on: 1, [status] + fields)
    }

    private static func length(_ value: String) -> [UInt8] { Raw.literal("content-length", value) }

    static let scripts: [Script] = [
        Script("headers", [Raw.response(1)], .accepted, over: false),
        Script("headers, data", [Raw.response(1), Raw.data(1, [1])], .accepted, over: false),
        Script(
            "headers, data, trailers", [Raw.response(1), Raw.data(1, [1]), Raw.trailers(1)],
            .accepted),
        Script("headers that end the stream", [Raw.response(1, ends: true)], .accepted),
        Script(
            "headers, data that ends the stream", [Raw.response(1), Raw.data(1, [1], ends: true)],
            .accepted),
        Script(
            "headers, empty data that ends the stream",
            [Raw.response(1), Raw.data(1, [], ends: true)], .accepted),
        Script("103 first", [hints, hints, Raw.response(1), Raw.trailers(1)], .accepted),
        Script(
            "103 with END_STREAM",
            [Raw.frame(Raw.headers, Raw.endHeaders | Raw.endStream, on: 1, Raw.interimBlock)],
            .stream(.protocolError)),
        Script("103 after headers", [Raw.response(1), hints], .stream(.protocolError)),
        Script("data first", [Raw.data(1, [1])], .stream(.protocolError)),
        Script("data after 103", [hints, Raw.data(1, [1])], .stream(.protocolError)),
        Script("trailers first", [Raw.trailers(1)], .stream(.protocolError)),
        Script("headers twice", [Raw.response(1), Raw.response(1)], .stream(.protocolError)),
        Script(
            "data after trailers", [Raw.response(1), Raw.trailers(1), Raw.data(1, [1])],
            .stream(.streamClosed)),
        Script(
            "headers after trailers", [Raw.response(1), Raw.trailers(1), Raw.trailers(1)],
            .stream(.streamClosed)),
        Script(
            "a window update after the end", [Raw.response(1, ends: true), Raw.windowUpdate(1, 5)],
            .accepted),
        Script("a reset after the end", [Raw.response(1, ends: true), resetFrame], .accepted),
        Script("data after a reset", [resetFrame, Raw.data(1, [1])], .stream(.streamClosed)),
        Script(
            "as much data as declared", [answer(length("2")), Raw.data(1, [1, 2], ends: true)],
            .accepted),
        Script(
            "as much data as declared, then trailers",
            [answer(length("2")), Raw.data(1, [1, 2]), Raw.trailers(1)], .accepted),
        Script(
            "more data than declared", [answer(length("1")), Raw.data(1, [1, 2])],
            .stream(.protocolError)),
        Script(
            "less data than declared", [answer(length("3")), Raw.data(1, [1, 2], ends: true)],
            .stream(.protocolError)),
        Script(
            "less data than declared, then trailers",
            [answer(length("3")), Raw.data(1, [1, 2]), Raw.trailers(1)], .stream(.protocolError)),
        Script(
            "a length and no data", [answer(length("1"), ends: true)], .stream(.protocolError)),
        Script("a length of zero and no data", [answer(length("0"), ends: true)], .accepted),
        Script("a length and no data in a 304", [bodiless(0x8b, length("7"))], .accepted),
        Script("a length and no data in a 204", [bodiless(0x89, length("7"))], .accepted),
        Script("a negative length", [answer(length("-1"))], .stream(.protocolError)),
        Script("a length with a sign", [answer(length("+1"))], .stream(.protocolError)),
        Script("an empty length", [answer(length(""))], .stream(.protocolError)),
        Script(
            "a length that does not fit an integer", [answer(length("99999999999999999999"))],
            .stream(.protocolError)),
        Script("two equal lengths", [answer(length("1") + length("1"))], .accepted, over: false),
        Script("two lengths", [answer(length("1") + length("2"))], .stream(.protocolError)),
    ]

    @Test("is accepted or refused according to the order of its frames", arguments: scripts)
    func order(_ script: Script) throws {
        var client = Endpoint.client()
        _ = try client.open(ends: true)
        _ = client.output()
        client.receive(script.bytes)
        let verdict = client.verdict()
        #expect(verdict == script.verdict)
        #expect((client.connection.streamCount == 0) == script.isOver)
    }

    @Test("with a request is read by a server")
    func request() {
        var server = Endpoint.server()
        server.receive(Raw.request(1) + Raw.data(1, [1, 2]) + Raw.trailers(1))
        let events = server.takeEvents()
        #expect(events.count == 3)
        guard case .headers(let handle, .initial, endStream: false) = events.first else {
            Issue.record("no request")
            return
        }
        #expect(events.last == .headers(handle, .trailers, endStream: true))
        #expect(server.bodies[handle] == [1, 2])
        #expect(server.connection.streamCount == 1, "the response is still to come")
        let sent = server.connection.sendHeaders(nil, .response, on: handle, endStream: true)
        #expect(sent)
        #expect(server.connection.streamCount == 0)
        let again = server.connection.sendHeaders(nil, .response, on: handle, endStream: true)
        #expect(!again, "the handle names nothing any more")
    }

    @Test("that is answered before the request is complete ends without an error")
    func earlyAnswer() {
        var server = Endpoint.server()
        server.receive(Raw.request(1) + Raw.data(1, [1, 2]))
        guard case .headers(let handle, .initial, endStream: false) = server.takeEvents().first
        else {
            Issue.record("no request")
            return
        }
        _ = server.sentFrames()
        let sent = server.connection.sendHeaders(nil, .response, on: handle, endStream: true)
        #expect(sent)
        let frames = server.sentFrames()
        // RST_STREAM with NO_ERROR requests that the client stop its request (RFC 9113 §8.1).
        #expect(frames.map(\.type) == [Raw.headers, 3])
        #expect(frames.last?.word == 0)
        #expect(server.connection.streamCount == 0)
        // The frames that the client has sent in the meantime are ignored.
        server.receive(Raw.data(1, [3, 4]) + Raw.trailers(1))
        let verdict = server.verdict()
        #expect(verdict == .accepted)
        #expect(server.takeEvents().isEmpty)
    }

    @Test("A 1xx response before the final headers is skipped; with END_STREAM it is malformed")
    func skipped() throws {
        var client = Endpoint.client()
        let call = try client.open(ends: true)
        client.receive(Self.hints + Raw.response(1, ends: true))
        let events = client.takeEvents()
        #expect(events == [.headers(call, .initial, endStream: true)])
    }

    @Test("A reset that arrives after END_STREAM leaves the data readable")
    func resetAfterEnd() throws {
        var client = Endpoint.client()
        let call = try client.open()
        client.receive(
            Raw.response(1) + Raw.data(1, [1, 2, 3], ends: true) + Self.resetFrame, consuming: false
        )
        let events = client.takeEvents()
        #expect(events.last == .reset(call, .noError))
        #expect(client.bodies[call] == [1, 2, 3])
        #expect(client.connection.unreadByteCount == 0)
        let verdict = client.verdict()
        #expect(verdict == .accepted)
    }

    @Test("Trailers-only responses deliver status and metadata once")
    func trailersOnly() throws {
        var client = Endpoint.client()
        let call = try client.open(ends: true)
        client.receive(
            Raw.frame(
                Raw.headers, Raw.endHeaders | Raw.endStream, on: 1,
                Raw.responseBlock + Raw.literal("grpc-status", "5")))
        let events = client.takeEvents()
        #expect(events == [.headers(call, .initial, endStream: true)])
        #expect(client.headers.map(\.lines) == [[":status: 200", "grpc-status: 5"]])
    }

    @Test("A stream that is opened and reset at once is closed without a trap")
    func abandoned() throws {
        var client = Endpoint(.init(.client))
        let waiting = try client.open()
        client.connection.reset(waiting, .cancel)
        client.connection.reset(waiting, .cancel)
        client.receive(Raw.settings() + Raw.settingsAck)
        _ = client.output()
        let open = try client.open()
        client.connection.reset(open, .cancel)
        let frames = client.sentFrames()
        #expect(frames.map(\.type) == [Raw.headers, Raw.reset])
        #expect(frames.map(\.stream) == [1, 1])
        #expect(client.connection.streamCount == 0)
        let outcome = client.connection.sendData([1], on: open, endStream: true)
        #expect(outcome == .closed)
    }

    @Test("HEADERS are not sent for a stream that was reset while it waited")
    func resetWhileWaiting() throws {
        var client = Endpoint(.init(.client))
        _ = client.output()
        let first = try client.open()
        let second = try client.open()
        client.connection.reset(first, .cancel)
        client.receive(Raw.settings())
        let frames = client.sentFrames().filter { $0.type == Raw.headers || $0.type == Raw.reset }
        #expect(frames.map(\.type) == [Raw.headers])
        let outcome = client.connection.sendData([1], on: second, endStream: true)
        #expect(outcome == .sent)
    }

    @Test("has trailers that wait for its DATA, also while it waits to be opened")
    func waitingTrailers() throws {
        var client = Endpoint(.init(.client))
        _ = client.output()
        let call = try client.open()
        let sent = client.connection.sendHeaders(nil, .trailers, on: call, endStream: true)
        #expect(sent)
        client.receive(Raw.settings())
        let frames = client.sentFrames().filter { $0.type == Raw.headers }
        #expect(frames.map(\.stream) == [1, 1])
        #expect(frames.map(\.flags) == [Raw.endHeaders, Raw.endHeaders | Raw.endStream])
    }

    @Test("with trailers that depend on themselves ends as with other trailers")
    func selfDependency() throws {
        var client = Endpoint.client()
        let call = try client.open(ends: true)
        client.receive(Raw.response(1))
        _ = client.takeEvents()
        client.receive(
            Raw.frame(
                Raw.headers, Raw.endStream | Raw.hasPriority, on: 1, Raw.word(1) + [0])
                + Raw.frame(Raw.continuation, Raw.endHeaders, on: 1, Raw.trailersBlock))
        let events = client.takeEvents()
        #expect(events == [.headers(call, .trailers, endStream: true)])
    }

    @Test("A waiter for trailers wakes when the stream is reset")
    func resetInsteadOfTrailers() throws {
        var client = Endpoint.client()
        let call = try client.open(ends: true)
        client.receive(
            Raw.response(1) + Raw.data(1, [1]) + Raw.frame(Raw.reset, on: 1, Raw.word(2)))
        let last = client.takeEvents().last
        #expect(last == .reset(call, .internalError))
        #expect(client.connection.streamCount == 0)
    }

    @Test("Bytes that arrive before the client is ready are kept, in order")
    func early() throws {
        var server = Endpoint(.init(.server))
        let bytes = Raw.magic + Raw.settings() + Raw.request(1) + Raw.data(1, [1, 2])
        for byte in bytes { server.receive([byte]) }
        let events = server.takeEvents()
        #expect(events.count == 3 && events.first == .ready)
        #expect(server.bodies.values.first == [1, 2])
    }

    @Test("uses up identifiers; waiting streams may then use another connection")
    func exhaustion() throws {
        var configuration = ConnectionConfiguration(.client)
        configuration.firstRequestID = StreamID(wire: 0x7fff_fffd)
        var client = Endpoint(configuration)
        var calls: [StreamHandle] = []
        for _ in 0..<4 { calls.append(try client.open(ends: true)) }
        client.receive(Raw.settings() + Raw.settingsAck)
        let ids = client.sentFrames().filter { $0.type == Raw.headers }.map(\.stream)
        #expect(ids == [0x7fff_fffd, 0x7fff_ffff])
        let events = client.takeEvents().filter { $0 != .ready }
        #expect(events == [.unsent(calls[2]), .unsent(calls[3])])
        #expect(throws: Connection.OpenRefusal.identifiersExhausted) { try client.open() }
        client.receive(Raw.response(0x7fff_ffff, ends: true))
        let last = client.takeEvents().last
        #expect(last == .headers(calls[1], .initial, endStream: true))
    }
}
