/// Measures the library. The first argument names a set of measurements; each set is a file of
/// its own and adds its rows to a ``Report``.
@main
enum Main {
    static let sets: [(name: String, purpose: String, run: @Sendable (inout Report) -> Void)] = [
        ("hpack", "header compression, alone and beside nghttp2", HPACKBenchmark.run),
        ("messages", "protobuf messages, encoded and decoded", MessagesSet.run),
        ("engine", "the HTTP/2 engine alone, without sockets", EngineBenchmark.run),
        ("interceptors", "what an interceptor costs that forwards", InterceptorBenchmark.run),
    ]

    static func main() async {
        var arguments = CommandLine.arguments.dropFirst()
        guard let name = arguments.popFirst(), name != "--help" else { return printUsage() }
        guard name != "client" else { return await ClientBenchmark.run(Array(arguments)) }
        guard let set = sets.first(where: { $0.name == name }) else {
            complain("unknown set '\(name)'; swiftlet-bench --help lists them")
        }
        var report = Report(asJSON: arguments.contains("--json"))
        if let unknown = arguments.first(where: { $0 != "--json" }) {
            complain("unknown option '\(unknown)'; the sets take --json")
        }
        set.run(&report)
        report.end()
    }

    private static func printUsage() {
        print("usage: swiftlet-bench SET [--json]\n       swiftlet-bench client OPTIONS\n")
        for set in sets {
            print(
                "  " + set.name + String(repeating: " ", count: 12 - set.name.count) + set.purpose)
        }
        print("  client      calls to a server; swiftlet-bench client --help tells the options")
    }
}
