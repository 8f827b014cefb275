import Swiftlet
import SwiftletInterceptors
import SwiftletJSONRPC
import SwiftletLoopback
import SwiftletObservation
import Testing

/// Tests with given response texts, with a `FakeChannel` and without a network.
@Suite("An answer of JSON-RPC", .timeLimit(.minutes(5)))
struct AnswerRuleTests {
    private static func result(
        of answer: String, status: Int = 200, isLenient: Bool = false
    ) async throws -> Int {
        let fake = try FakeChannel()
        try fake.respond(to: "/rpc").send(
            HTTPReply(status: status, contentType: "application/json", body: Array(answer.utf8)))
        let client = RPCClient(
            channel: fake.channel, JSONRPC(path: "/rpc", isLenient: isLenient)
        ) { RPCTicket(id: "a") }
        return try await client.call("sum", [1, 2])
    }

    private static let sample = #"{"id": "a1bda1d7-22c7-4fbd-a4ba-d5fb1c44a13e", "result": 1224}"#

    @Test("is refused unless it has the version and the ID of the request")
    func strict() async throws {
        #expect(try await Self.result(of: #"{"jsonrpc": "2.0", "id": "a", "result": 6}"#) == 6)
        for (answer, message) in [
            (#"{"id": "a", "result": 6}"#, "not JSON-RPC 2.0"),
            (#"{"jsonrpc": "1.0", "id": "a", "result": 6}"#, "not JSON-RPC 2.0"),
            (#"{"jsonrpc": "2.0", "id": "b", "result": 6}"#, "for request 'b' instead of 'a'"),
            (#"{"jsonrpc": "2.0", "result": 6}"#, "for request 'none' instead of 'a'"),
            (Self.sample, "not JSON-RPC 2.0"),
        ] {
            let error = await #expect(throws: RPCError.self) { try await Self.result(of: answer) }
            #expect(error?.message.contains(message) == true, "\(answer)")
        }
    }

    @Test("is accepted without version and with any ID by a lenient client")
    func lenient() async throws {
        #expect(try await Self.result(of: Self.sample, isLenient: true) == 1224)
        let error = await #expect(throws: JSONRPCError.self) {
            try await Self.result(
                of: #"{"id": "b", "error": {"code": 7, "message": "no"}}"#, isLenient: true)
        }
        #expect(error?.code == 7)
        let withStatus = await #expect(throws: JSONRPCError.self) {
            try await Self.result(
                of: #"{"id": "b", "error": {"code": 7, "message": "no"}}"#, status: 500,
                isLenient: true)
        }
        #expect(withStatus?.code == 7)
        await #expect(throws: RPCError.self) {
            try await Self.result(of: #"{"id": "b"}"#, isLenient: true)
        }
    }

    /// If the HTTP status is an error, the error in the body is used only when the body is a valid
    /// answer to this request. Otherwise the call fails with the HTTP status.
    @Test("with an error and an HTTP status needs the version and the ID, too")
    func failures() async throws {
        let error = #""error": {"code": 7, "message": "no"}"#
        for accepted in [#"{"jsonrpc": "2.0", "id": "a", "#, #"{"jsonrpc": "2.0", "id": null, "#] {
            await #expect(throws: JSONRPCError.self) {
                try await Self.result(of: "\(accepted)\(error)}", status: 500)
            }
        }
        for refused in [
            #"{"id": "a", "#, #"{"jsonrpc": "1.0", "id": "a", "#,
            #"{"jsonrpc": "2.0", "id": "b", "#,
        ] {
            let failure = await #expect(throws: RPCError.self) {
                try await Self.result(of: "\(refused)\(error)}", status: 500)
            }
            #expect(failure?.message.hasPrefix("the server answered HTTP 500") == true)
        }
    }

    @Test("may have any integer of 64 bits as its ID")
    func largeID() async throws {
        for id: JSONValue in [.integer(-1), .unsigned(1 << 63)] {
            let fake = try FakeChannel()
            let text = id == .integer(-1) ? "-1" : "9223372036854775808"
            try fake.respond(to: "/rpc").send(
                HTTPReply(
                    contentType: "application/json",
                    body: Array(#"{"jsonrpc": "2.0", "id": \#(text), "result": 6}"#.utf8)))
            let client = RPCClient(channel: fake.channel, JSONRPC(path: "/rpc"))
            let sum = try await client.call(
                "sum", [1, 2], returning: Int.self, additionalFields: ["id": id])
            #expect(sum == 6)
        }
    }

    @Test("with an error for another request is refused")
    func foreignError() async throws {
        let answer = #"{"jsonrpc": "2.0", "id": "b", "error": {"code": 7, "message": "no"}}"#
        let error = await #expect(throws: RPCError.self) { try await Self.result(of: answer) }
        #expect(error?.message.contains("'b'") == true)
    }

    private static func data(_ json: String) async throws -> JSONValue? {
        let answer =
            #"{"jsonrpc": "2.0", "id": "a", "error": {"code": 7, "message": "no", "data": \#(json)}}"#
        let error = await #expect(throws: (any Error).self) { try await result(of: answer) }
        if let error = error as? RPCError { throw error }
        return (error as? JSONRPCError)?.data
    }

    @Test("with an error contains its data, of any type")
    func errorData() async throws {
        let json = #"[1, -2, 18446744073709551615, 1.5, 1e2, true, "\u00e9", null, {"a": [[]]}]"#
        let values: [JSONValue] = [
            .integer(1), .integer(-2), .unsigned(.max), .number(1.5), .integer(100), .bool(true),
            .string("é"), .null, .object(["a": .array([.array([])])]),
        ]
        #expect(try await Self.data(json) == .array(values))
        #expect(try await Self.data("null") == nil)
    }

    @Test(
        "with data that is nested deeply is refused, or decoded without a cost that grows with the depth"
    )
    func deepData() async throws {
        let depth = 50
        let wide = String(repeating: "{},", count: 100_000) + "{}"
        let nested =
            String(repeating: "[", count: depth) + wide + String(repeating: "]", count: depth)
        var value = try await Self.data(nested)
        for _ in 1..<depth {
            guard case .array(let elements)? = value else { break }
            value = elements.first
        }
        guard case .array(let elements)? = value else {
            Issue.record("not an array")
            return
        }
        #expect(elements.count == 100_001)
        let tooDeep = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)
        let error = await #expect(throws: RPCError.self) { _ = try await Self.data(tooDeep) }
        #expect(error?.message.contains("inside each other") == true)
    }

    @Test("to a request of a batch that could not be read has no ID; its error is thrown")
    func unidentified() async throws {
        let fake = try FakeChannel()
        let body = #"""
            [{"jsonrpc": "2.0", "id": "0", "result": 5},
             {"jsonrpc": "2.0", "id": null, "error": {"code": -32600, "message": "Invalid Request"}}]
            """#
        try fake.respond(to: "/rpc").send(
            HTTPReply(contentType: "application/json", body: Array(body.utf8)))
        let client = RPCClient(channel: fake.channel, JSONRPC(path: "/rpc"))
        var batch = JSONRPCBatch()
        let first = batch.add("sum", [1], returning: Int.self, ticket: RPCTicket(id: "0"))
        let second = batch.add("sum", [2], returning: Int.self, ticket: RPCTicket(id: "1"))
        let answers = try await client.send(batch)
        #expect(try answers[first] == 5)
        let error = #expect(throws: JSONRPCError.self) { try answers[second] }
        #expect(error?.code == JSONRPCError.invalidRequestCode)
    }

    @Test("is not expected for a batch without requests, which is not sent")
    func emptyBatch() async throws {
        let fake = try FakeChannel()
        let client = RPCClient(channel: fake.channel, JSONRPC(path: "/rpc"))
        // The fake has no response, so a request would fail.
        #expect(try await client.send(JSONRPCBatch()).count == 0)
    }

    @Test("is shared by equal requests under a guard, even if their IDs differ")
    func refusedDuplicate() async throws {
        let fake = try FakeChannel(interceptors: [.all(DuplicateGuard().interceptor)])
        let client = RPCClient(channel: fake.channel, JSONRPC(path: "/rpc"))
        let response = fake.respond(to: "/rpc")
        var parts = response.requestParts.makeAsyncIterator()
        let parameters = ["b": 1, "a": 2, "c": 3]
        let first = Task { try await client.call("sum", parameters, returning: Int.self) }
        while let part = await parts.next() { if case .end = part { break } }
        let error = await #expect(throws: RPCError.self) {
            try await client.call("sum", ["c": 3, "b": 1, "a": 2], returning: Int.self)
        }
        #expect(error?.code == .cancelled)
        // A request with another method or other parameters is not a duplicate. It is sent, and the
        // fake refuses it.
        for (method, parameters) in [("total", parameters), ("sum", ["a": 2])] {
            let other = await #expect(throws: RPCError.self) {
                try await client.call(method, parameters, returning: Int.self)
            }
            #expect(other?.code == .failedPrecondition)
        }
        first.cancel()
        _ = await first.result
    }

    @Test(
        "is shared by joined requests, although it has the ID of the first one",
        arguments: [false, true])
    func joinedDuplicate(hasOwnIDs: Bool) async throws {
        let (finished, finishes) = AsyncStream.makeStream(of: Void.self)
        let watch = InterceptorFactory("watch") { _ in FinishWatch(finishes) }
        let fake = try FakeChannel(
            interceptors: [.all(watch), .all(DuplicateGuard(.join).interceptor)])
        let (tickets, issued) = AsyncStream.makeStream(of: String.self)
        let client = RPCClient(channel: fake.channel, JSONRPC(path: "/rpc")) {
            let ticket = RPCTicket()
            issued.yield(ticket.id)
            return ticket
        }
        let response = fake.respond(to: "/rpc")
        var ids = tickets.makeAsyncIterator()
        var ends = finished.makeAsyncIterator()
        let call = { @Sendable (number: Int) in
            try await client.call(
                "sum", [1, 2], returning: Int.self,
                additionalFields: hasOwnIDs ? ["id": .integer(number)] : [:])
        }
        let first = Task { try await call(1) }
        let ticket = try #require(await ids.next())
        let id = hasOwnIDs ? "1" : #""\#(ticket)""#
        _ = await ends.next()
        let second = Task { try await call(2) }
        _ = await ends.next()
        try response.send(
            HTTPReply(
                contentType: "application/json",
                body: Array(#"{"jsonrpc": "2.0", "id": \#(id), "result": 3}"#.utf8)))
        #expect(try await first.value == 3)
        #expect(try await second.value == 3)
    }
}

/// Reports the end of each request after the later interceptors have handled it.
private final class FinishWatch: Interceptor {
    private let finishes: AsyncStream<Void>.Continuation

    init(_ finishes: AsyncStream<Void>.Continuation) { self.finishes = finishes }

    func finish(_ call: InterceptedCall) {
        call.finish()
        finishes.yield()
    }
}
