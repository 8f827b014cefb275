import Foundation
import Swiftlet
import SwiftletInterceptors

/// Measures the library. The first argument names a set of measurements. Each set has a file, and adds
/// its rows to a ``Report``.
@main
enum Main {
    private static let sets:
        [(name: String, purpose: String, run: @Sendable (inout Report) -> Void)] =
            [
                ("hpack", "header compression, alone and beside nghttp2", HPACKBenchmark.run),
                ("messages", "protobuf messages, encoded and decoded", MessagesSet.run),
                ("engine", "the HTTP/2 engine alone, without sockets", EngineBenchmark.run),
                (
                    "interceptors", "what an interceptor costs that forwards",
                    InterceptorBenchmark.run
                ),
            ]

    /// The sets that make calls over sockets.
    private static let callSets:
        [(name: String, purpose: String, run: @Sendable (inout Report) async -> Void)] =
            [
                (
                    "calls",
                    "calls to a server in this process, a second of each work and executor",
                    CallsSet.run
                ),
                (
                    "allocations", "what a call allocates, alone and with options",
                    CallAllocations.run
                ),
                (
                    "policies", "what balancing and retry policies add to a call",
                    PolicyBenchmark.run
                ),
                ("kept", "memory that ended calls keep; fails if they do", KeptMemory.run),
            ]

    static func main() async {
        FreedMemory.keepForReuse()
        var arguments = CommandLine.arguments.dropFirst()
        guard let name = arguments.popFirst() else {
            say(usage)
            exit(2)
        }
        guard name != "--help" else { return print(usage) }
        guard name != "server" else { return BenchmarkServer.run(Array(arguments)) }
        guard name != "faulty-server" else { return FaultyServerProcess.run() }
        guard name != "faults" else { return await FaultRun.run(Array(arguments)) }
        guard name != "client" else { return await ClientBenchmark.run(Array(arguments)) }
        let set = sets.first { $0.name == name }
        guard set != nil || callSets.contains(where: { $0.name == name }) else {
            complain("unknown set '\(name)'; swiftlet-bench --help lists them")
        }
        var report = Report(asJSON: arguments.contains("--json"))
        if let unknown = arguments.first(where: { $0 != "--json" }) {
            complain("unknown option '\(unknown)'; the sets take --json")
        }
        set?.run(&report)
        for set in callSets where set.name == name { await set.run(&report) }
        report.end()
    }

    private static var usage: String {
        let more = [
            ("faults", "calls to servers that fail in many ways; faults --help tells the options"),
            ("client", "calls to any server; swiftlet-bench client --help tells the options"),
        ]
        let names =
            sets.map { ($0.name, $0.purpose) } + callSets.map { ($0.name, $0.purpose) } + more
        let lines = names.map { name, purpose in
            "  " + name + String(repeating: " ", count: 14 - name.count) + purpose
        }
        return """
            usage: swiftlet-bench SET [--json]
                   swiftlet-bench client OPTIONS

            \(lines.joined(separator: "\n"))

              --json  a line of JSON for each row instead of the table
            """
    }
}
