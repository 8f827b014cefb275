import Swiftlet
import SwiftletJSONRPC
import SwiftletLoopback
import SwiftletObservation
import Testing

@Suite("A protocol that the program implements", .timeLimit(.minutes(5)))
struct OwnProtocolTests {
    /// Its bodies have the ID of the request, and their keys in no fixed order.
    private struct Envelope: RPCProtocol {
        var isReversed = false

        func path(of method: String) -> String { "/own" }
        func box<Parameters: Encodable>(
            method: String, parameters: Parameters, ticket: RPCTicket
        ) throws -> [UInt8] {
            let members = [
                #""call": "\#(method)""#, #""request": "\#(ticket.id)""#,
                #""with": \#(String(decoding: try JSONBody.encode(parameters), as: UTF8.self))"#,
            ]
            let ordered = isReversed ? members.reversed() : members
            return Array("{\(ordered.joined(separator: ", "))}".utf8)
        }
        func unbox<Value: Decodable>(_ body: [UInt8], _ ticket: RPCTicket) throws -> Value {
            try JSONBody.decode(body)
        }
    }

    @Test("needs no key of its own for a guard: neither the ID nor the order of keys differs")
    func guarded() async throws {
        let gate = Gate()
        let server = try LoopbackServer { server in
            server.http("/own") { _ in
                await gate.pass()
                return HTTPReply(contentType: "application/json", body: Array("1".utf8))
            }
        }
        let channel = try server.makeChannel()
        let guarding = DuplicateGuard(.refuse(message: "not twice"))
        let options = CallOptions.with { $0.interceptors = [guarding.interceptor] }
        let client = RPCClient(channel: channel, Envelope(), options)
        let reversed = RPCClient(channel: channel, Envelope(isReversed: true), options)
        let first = Task { try await client.call("add", ["a": [1, 2]], returning: Int.self) }
        await gate.waitFor(1)
        for twin in [client, reversed] {
            let error = await #expect(throws: RPCError.self) {
                try await twin.call("add", ["a": [1, 2]], returning: Int.self)
            }
            #expect(error?.message == "not twice")
        }
        gate.open()
        #expect(try await first.value == 1)
        // Another method or other parameters are another request.
        #expect(try await client.call("sub", ["a": [1, 2]], returning: Int.self) == 1)
        #expect(try await client.call("add", ["a": [2, 1]], returning: Int.self) == 1)
    }

    @Test(
        "has keys that differ exactly when the requests do",
        arguments: [
            (#"{"a": 1, "b": {"d": 2, "c": [1, 2]}}"#, #"{"b":{"c":[1,2],"d":2},"a":1}"#, true),
            (#"[1, 2]"#, #"[2, 1]"#, false), (#"{"a": 1}"#, #"{"a": 1.0}"#, false),
            (#"{"a": "}\", \\"}"#, #"{"a":"}\", \\"}"#, true),
            (#"{"a": "b c"}"#, #"{"a": "bc"}"#, false),
            ("[]", "[ ]", true), ("{}", "[]", false), ("no JSON: {", "no JSON:{", false),
            (
                "123456789012345678901234567890", "123456789012345678901234567891", false
            ),
        ])
    func keys(_ left: String, _ right: String, _ areEqual: Bool) throws {
        struct Raw: RPCProtocol {
            func path(of method: String) -> String { "/" }
            func box<Parameters: Encodable>(
                method: String, parameters: Parameters, ticket: RPCTicket
            ) throws -> [UInt8] { Array(method.utf8) }
            func unbox<Value: Decodable>(_ body: [UInt8], _ ticket: RPCTicket) throws -> Value {
                try JSONBody.decode(body)
            }
        }
        let keys = try [left, right].map { text in
            try Raw().duplicateKey(method: text, parameters: NoParameters())
        }
        #expect((keys[0] == keys[1]) == areEqual)
    }
}
