import Swiftlet
import SwiftletJSONRPC

/// Calls a JSON-RPC server that has the methods `add`, `echo`, `fail` and `note`, and prints the
/// outcomes: `swiftlet-jsonrpc http://127.0.0.1:8080/`.
@main
struct JSONRPCInterop {
    static func main() async throws {
        let url = CommandLine.arguments.last ?? ""
        let client = try RPCClient(url: url) { JSONRPC(path: $0) }
        for round in 1...3 {
            let sum: Int = try await client.call("add", [round, 2])
            print("add", sum)
        }
        let words: [String] = try await client.call("echo", ["ä", "\n"])
        print("echo", words == ["ä", "\n"])
        let large = String(repeating: "x", count: 300_000)
        let echoed: [String] = try await client.call("echo", [large])
        print("large", echoed == [large])
        try await client.notify("note", ["seen"])
        var batch = JSONRPCBatch()
        let first = batch.add("add", [1, 2], returning: Int.self)
        batch.notify("note", ["again"])
        let second = batch.add("fail", [1], returning: Int.self)
        let answers = try await client.send(batch)
        print("batch", try answers[first], failure { _ = try answers[second] })
        do {
            let none: Int = try await client.call("no.such", [1])
            print("unexpected result", none)
        } catch let error as JSONRPCError {
            print("missing", error.code)
        }
        var sum = 0
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<50 {
                group.addTask { try await client.call("add", [number, number]) }
            }
            for try await value in group { sum += value }
        }
        print("many", sum)
        print("done")
    }

    private static func failure(_ body: () throws -> Void) -> String {
        do {
            try body()
            return "no failure"
        } catch {
            return error is JSONRPCError ? "failed" : "\(error)"
        }
    }
}
