import Swiftlet
import SwiftletJSONRPC
import SwiftletLoopback
import Testing

@Suite("An error of JSON-RPC in another shape", .timeLimit(.minutes(5)))
struct ErrorShapeTests {
    private static func result(
        _ members: String, status: Int = 200, isLenient: Bool
    ) async throws -> Int {
        let fake = try FakeChannel()
        let body = #"{"jsonrpc": "2.0", "id": "a", \#(members)}"#
        try fake.respond(to: "/rpc").send(
            HTTPReply(status: status, contentType: "application/json", body: Array(body.utf8)))
        let client = RPCClient(
            channel: fake.channel, JSONRPC(path: "/rpc", isLenient: isLenient)
        ) { RPCTicket(id: "a") }
        return try await client.call("sum", [1, 2])
    }

    @Test(
        "that is empty is no error for a lenient client, and no valid answer for a strict one",
        arguments: [#""""#, "false", "[]", "{}"])
    func empty(_ error: String) async throws {
        let answer = #""error": \#(error), "result": 6"#
        #expect(try await Self.result(answer, isLenient: true) == 6)
        let refusal = await #expect(throws: RPCError.self) {
            try await Self.result(answer, isLenient: false)
        }
        #expect(refusal?.message.contains("cannot be decoded") == true)
    }

    @Test("that is null is no error for either", arguments: [true, false])
    func null(_ isLenient: Bool) async throws {
        #expect(try await Self.result(#""error": null, "result": 6"#, isLenient: isLenient) == 6)
    }

    static let shapes: [(String, JSONRPCError)] = [
        (#""no such method""#, JSONRPCError(code: 0, message: "no such method")),
        ("-32601", JSONRPCError(code: -32_601, message: "")),
        (#"{"code": "17", "message": "no"}"#, JSONRPCError(code: 17, message: "no")),
        (#"{"code": "E_LIMIT", "message": "no"}"#, JSONRPCError(code: 0, message: "E_LIMIT: no")),
        (#"{"code": 7}"#, JSONRPCError(code: 7, message: "")),
        (
            #"{"message": "no", "name": "Limit"}"#,
            JSONRPCError(code: 0, message: "no", data: .object(["name": "Limit"]))
        ),
        ("true", JSONRPCError(code: 0, message: "", data: .bool(true))),
    ]

    @Test("is thrown to a lenient client, also with an HTTP status", arguments: shapes)
    func lenient(_ text: String, _ expected: JSONRPCError) async throws {
        for status in [200, 500] {
            for result in ["", #", "result": null"#] {
                let error = await #expect(throws: JSONRPCError.self) {
                    try await Self.result(
                        "\"error\": \(text)\(result)", status: status, isLenient: true)
                }
                #expect(error == expected)
            }
        }
    }

    @Test("is no valid answer for a strict client", arguments: shapes.map(\.0))
    func strict(_ text: String) async throws {
        await #expect(throws: RPCError.self) {
            try await Self.result("\"error\": \(text)", isLenient: false)
        }
    }
}
