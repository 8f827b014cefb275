import Testing

@testable import SwiftletTransport

/// Cases of the public suite h2spec for servers.
@Suite("A server's stream, as its client uses it")
struct ServerStreamOrderTests {
    private static let malformedBlock = Raw.literal("UPPER", "case") + Raw.requestBlock

    private static func headers(_ stream: UInt32, _ block: [UInt8]) -> [UInt8] {
        Raw.frame(Raw.headers, Raw.endHeaders | Raw.endStream, on: stream, block)
    }

    @Test(
        "HEADERS on a half-closed (remote) stream are STREAM_CLOSED, whatever is in them (§5.1)",
        arguments: [Raw.requestBlock, Raw.trailersBlock, malformedBlock])
    func halfClosed(_ block: [UInt8]) {
        var server = Endpoint.server()
        server.receive(Raw.request(1, ends: true) + Self.headers(1, block))
        let verdict = server.verdict()
        #expect(verdict == .stream(.streamClosed))
    }

    @Test("HEADERS on a closed stream are a connection error STREAM_CLOSED (§5.1)")
    func closed() {
        var server = Endpoint.server()
        server.receive(Raw.request(1, ends: true))
        guard case .headers(let handle, _, _)? = server.takeEvents().last else {
            Issue.record("no request")
            return
        }
        let sent = server.connection.sendHeaders(nil, .response, on: handle, endStream: true)
        #expect(sent)
        #expect(server.connection.streamCount == 0)
        server.receive(Raw.request(1))
        let verdict = server.verdict()
        #expect(verdict == .connection(.streamClosed))
    }

    @Test(
        "A new stream with a lower number is a connection error PROTOCOL_ERROR (§5.1.1)",
        arguments: [false, true])
    func lower(afterReset: Bool) {
        var server = Endpoint.server()
        server.receive(Raw.request(1) + Raw.request(7))
        if afterReset, case .headers(let handle, _, _)? = server.takeEvents().last {
            // Late frames after a reset do not allow a new stream.
            server.connection.reset(handle, .cancel)
        }
        server.receive(Raw.request(5))
        let verdict = server.verdict()
        #expect(verdict == .connection(.protocolError))
    }

    @Test("A client that skips every second identifier needs bounded memory")
    func gaps() {
        var server = Endpoint.server()
        for index: UInt32 in 0..<10_000 {
            server.receive(Raw.request(index * 4 + 1))
            guard case .headers(let handle, _, _)? = server.takeEvents().last else { return }
            server.connection.reset(handle, .cancel)
            _ = server.output()
        }
        #expect(server.connection.requests.skippedRangeCount <= Limits.skippedRangeCount)
        server.receive(Raw.request(9_999 * 4 - 1))
        let verdict = server.verdict()
        #expect(verdict == .connection(.protocolError))
    }

    // h2spec 5.3.1/1 and 5.3.1/2 expect PROTOCOL_ERROR here. RFC 9113 §5.3.2 has removed that rule
    // together with priorities. The fields are read and ignored.
    @Test("A stream that depends on itself is no error")
    func dependsOnItself() {
        var server = Endpoint.server()
        let priority = Raw.word(1) + [15]
        server.receive(
            Raw.frame(Raw.priority, on: 1, priority)
                + Raw.frame(
                    Raw.headers, Raw.endHeaders | Raw.endStream | Raw.hasPriority, on: 1,
                    priority + Raw.requestBlock)
                + Raw.frame(Raw.priority, on: 1, priority))
        let verdict = server.verdict()
        #expect(verdict == .accepted)
        #expect(server.connection.streamCount == 1)
    }
}
