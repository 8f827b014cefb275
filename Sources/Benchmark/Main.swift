import Foundation
import Swiftlet

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

    static func main() async {
        FreedMemory.keepForReuse()
        var arguments = CommandLine.arguments.dropFirst()
        guard let name = arguments.popFirst() else {
            say(usage)
            exit(2)
        }
        guard name != "--help" else { return print(usage) }
        guard name != "server" else { return BenchmarkServer.run() }
        guard name != "faults" else { return await FaultRun.run(Array(arguments)) }
        guard name != "client" else { return await ClientBenchmark.run(Array(arguments)) }
        let set = sets.first { $0.name == name }
        guard set != nil || name == "calls" || name == "allocations" else {
            complain("unknown set '\(name)'; swiftlet-bench --help lists them")
        }
        var report = Report(asJSON: arguments.contains("--json"))
        if let unknown = arguments.first(where: { $0 != "--json" }) {
            complain("unknown option '\(unknown)'; the sets take --json")
        }
        if let set {
            set.run(&report)
        } else if name == "calls" {
            await CallsSet.run(&report)
        } else {
            await CallAllocations.run(&report)
        }
        report.end()
    }

    private static var usage: String {
        let more = [
            ("calls", "calls to a server in this process, a second of each work and executor"),
            ("allocations", "what a call allocates, alone and with options"),
            ("faults", "calls to servers that are killed, drained and slowed; --seconds, --tasks"),
            ("client", "calls to any server; swiftlet-bench client --help tells the options"),
        ]
        let lines = (sets.map { ($0.name, $0.purpose) } + more).map { name, purpose in
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
