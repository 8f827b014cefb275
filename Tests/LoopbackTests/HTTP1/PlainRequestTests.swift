import Swiftlet
import SwiftletJSONRPC
import SwiftletLoopback
import Testing

@Suite("A server with a handler of plain HTTP", .timeLimit(.minutes(5)))
struct PlainRequestTests {
    private static let versions: [HTTPVersion] = [.http1, .http2]

    private func channel(_ server: LoopbackServer, _ version: HTTPVersion) throws -> Channel {
        try Channel(server.target, version: version, credentials: .insecure)
    }

    /// The kinds of faults with the outcome in HTTP/1.1 and in HTTP/2; nil is an answer.
    private static let outcomes: [(Fault.Kind, StatusCode?, StatusCode?)] = [
        (.drop, .unavailable, .unavailable), (.dropAfterBytes(20), .unavailable, .unavailable),
        (.garbage, .unavailable, .unavailable), (.reset(.internalError), .unavailable, .internal),
        (.goAway(.thenClose(.internalError)), .unavailable, .unavailable),
        (.goAway(), nil, nil), (.goAway(.atOnce(.noError)), nil, nil),
        (.delay(.milliseconds(1)), nil, nil), (.pause(ReplyGate(isOpen: true)), nil, nil),
        (.shrinkWindow(to: 3), nil, nil),
    ]

    @Test("applies faults in both versions, whatever the query", arguments: outcomes)
    func faults(_ kind: Fault.Kind, _ http1: StatusCode?, _ http2: StatusCode?) async throws {
        for (version, code) in [(HTTPVersion.http1, http1), (.http2, http2)] {
            let server = try echoServer()
            try server.setFaults([.on("/echo", call: 1, kind)])
            let first = try channel(server, version)
            var found: StatusCode?
            do throws(RPCError) {
                let answer = try await first.post(
                    "/echo?a=b", contentType: "text/plain", body: [1])
                #expect(answer.body == [1])
            } catch {
                found = error.code
            }
            #expect(found == code, "\(kind) in \(version)")
            #expect(server.unusedFaults.isEmpty)
            let next = try await channel(server, version).request(.get, "/echo")
            #expect(next.status == 200)
        }
    }

    @Test("never answers a call that a fault stalls", arguments: versions)
    func stall(_ version: HTTPVersion) async throws {
        let server = try echoServer()
        try server.setFaults([.on("/echo", .stall)])
        let channel = try channel(server, version)
        let call = Task { try await channel.request(.get, "/echo") }
        try await eventually { server.unusedFaults.isEmpty }
        call.cancel()
        let error = await #expect(throws: RPCError.self) { _ = try await call.value }
        #expect(error?.code == .cancelled)
    }

    @Test("holds an answer until the gate opens", arguments: versions)
    func pause(_ version: HTTPVersion) async throws {
        let gate = ReplyGate()
        let notes = Notes()
        let server = try LoopbackServer { server in
            server.http("/") { _ in
                notes.add("handled")
                return HTTPReply(contentType: "text/plain", body: [])
            }
            server.faults = [.always(.pause(gate))]
        }
        let channel = try channel(server, version)
        let call = Task { try await channel.request(.get, "/").status }
        await gate.arrivals(1)
        #expect(notes.all.isEmpty)
        gate.open()
        #expect(try await call.value == 200)
    }

    @Test("refuses a fault of gRPC for its path, and applies none to its requests")
    func faultsOfGRPC() async throws {
        let server = try echoServer()
        let error = #expect(throws: RPCError.self) {
            try server.setFaults([.on("/echo", .status(.unavailable))])
        }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains("is for gRPC") == true)
        try server.setFaults([.always(.status(.aborted)), .call(1, .delay(.zero))])
        for version in Self.versions {
            #expect(try await channel(server, version).request(.get, "/echo").status == 200)
        }
        #expect(server.unusedFaults.count == 1)
        let failure = await #expect(throws: RPCError.self) {
            try await channel(server, .http2).unary(
                HTTP1CallTests.sayHello, HelloRequest(name: "you"))
        }
        #expect(failure?.code == .aborted)
    }

    @Test("refuses a body above the server's limit", arguments: versions)
    func largeBody(_ version: HTTPVersion) async throws {
        let server = try LoopbackServer { server in
            server.maxRequestByteCount = 10
            server.http("/") { HTTPReply(contentType: "text/plain", body: $0.body) }
        }
        let channel = try channel(server, version)
        for (byteCount, status) in [(10, 200), (11, 413)] {
            let answer = try await channel.post(
                "/", contentType: "text/plain", body: [UInt8](repeating: 7, count: byteCount))
            #expect(answer.status == status)
        }
    }
}
