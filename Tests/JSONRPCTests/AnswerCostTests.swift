import SwiftletJSONRPC
import TestSupport
import Testing

@Suite(
    "Text in an answer of JSON-RPC costs as much as its size", .serialized, .timeLimit(.minutes(5)))
struct AnswerCostTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let answer: @Sendable (String) -> String

        init(_ name: String, _ answer: @escaping @Sendable (String) -> String) {
            testDescription = name
            self.answer = answer
        }
    }

    static let rows = [
        Row("the ID") { #"{"jsonrpc": "2.0", "id": "1\#($0)", "result": {}}"# },
        Row("the version") { #"{"jsonrpc": "2.0\#($0)", "id": "1", "result": {}}"# },
        Row("a key beside the result") {
            #"{"jsonrpc": "2.0", "id": "1", "result": {}, "\#($0)": 1}"#
        },
        Row("keys in the result") {
            #"{"jsonrpc": "2.0", "id": "1", "result": {"\#($0)": 1, "\#($0)x": 1}}"#
        },
        Row("a value") { #"{"jsonrpc": "2.0", "id": "1", "result": {"a": "\#($0)"}}"# },
        Row("the text of an error") {
            #"{"jsonrpc": "2.0", "id": "1", "error": {"code": 1, "message": "\#($0)"}}"#
        },
        Row("the code of an error") {
            #"{"jsonrpc": "2.0", "id": "1", "error": {"code": "\#($0)", "message": ""}}"#
        },
        Row("an error that is text") {
            #"{"jsonrpc": "2.0", "id": "1", "error": "\#($0)"}"#
        },
        Row("text that is not JSON") { $0 },
    ]

    @Test("in every place of it", arguments: rows, [false, true])
    func cost(_ row: Row, isLenient: Bool) {
        let protocolOfCalls = JSONRPC(path: "/rpc", isLenient: isLenient)
        let ticket = RPCTicket(id: "1")
        let ratio = CostlyText.ratio { text in
            let body = Array(row.answer(text).utf8)
            _ = protocolOfCalls.failure(in: body, ticket)
            _ = try? protocolOfCalls.unbox(body, ticket) as JSONValue
        }
        #expect(ratio < CostlyText.maxRatio, "\(ratio) times the cost of honest text")
    }
}
