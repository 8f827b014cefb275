import Swiftlet

/// What `swiftlet-bench client` is to do: the flags that clients in other languages share, and a
/// few of its own.
struct ClientArguments {
    enum Scenario: String, CaseIterable {
        case unary, stream, idle, connections
        case serverStream = "server-stream"
        case clientStream = "client-stream"
    }

    /// Which face of a call is measured, and where it runs.
    enum Executor: String, CaseIterable {
        /// Tasks on the executor that tasks have by default.
        case `default`
        /// Tasks on the completion queue's thread.
        case queue
        /// Calls that block their thread.
        case blocking
        case handlers
    }

    var target = ""
    var scenario = Scenario.unary
    var concurrency = 1
    var duration = Duration.seconds(5)
    var warmup = Duration.seconds(1)
    var requestByteCount = 16
    var responseByteCount = 16
    var messageCount = 100_000
    var executor = Executor.queue
    /// How long a queue looks for input before it sleeps.
    var spin = Duration.zero
    /// Whether the kernel counts allocations and system calls.
    var counts = false
}

extension ClientArguments {
    static let usage = """
        usage: swiftlet-bench client --target HOST:PORT [options]

          --scenario NAME      unary, stream (ping-pong), server-stream, client-stream: work for
                               --duration; idle, connections: open, and tell the memory of each
          --concurrency N      calls outstanding at any time, streams or connections (1)
          --duration SECONDS   measured time (5), up to 1e9 as the next, after
          --warmup SECONDS     time that does not count (1)
          --req BYTES          payload of a request (16)
          --resp BYTES         payload of an answer (16)
          --count N            messages of a call of the one-way scenarios (100000); their latency
                               is a mean over 32, so of fewer there is none
          --executor NAME      default: tasks on the default executor; queue: tasks on the
                               completion queue's thread; blocking: threads, and with one call
                               at a time a queue that its thread turns by hand; handlers. Idle and
                               connections take the first two
          --spin MICROSECONDS  look for input so long before sleeping (0): where answers come that
                               soon, a call is faster by the time that waking takes; where they
                               do not, the processor works for nothing
          --trace 1            have the kernel count allocations and system calls, where it is
                               able and allowed to; each takes longer then, so the times of such
                               a run are of no use

        All work but connections goes over one connection. The answer is one line of JSON.
        """

    /// Reads the flags. Returns what is wrong with them.
    static func parse(_ words: [String]) -> Result<ClientArguments, Complaint> {
        var arguments = ClientArguments()
        var rest = words[...]
        while let flag = rest.popFirst() {
            guard let text = rest.popFirst() else { return .failure("\(flag) needs a value") }
            guard arguments.set(flag, text) else {
                return .failure("'\(flag) \(text)' is no option")
            }
        }
        guard !arguments.target.isEmpty else { return .failure("--target is missing") }
        return .success(arguments)
    }

    struct Complaint: Error, ExpressibleByStringInterpolation {
        let text: String
        init(stringLiteral text: String) { self.text = text }
    }

    private mutating func set(_ flag: String, _ text: String) -> Bool {
        func store<Value>(_ value: Value?, _ path: WritableKeyPath<Self, Value>) -> Bool {
            guard let value else { return false }
            self[keyPath: path] = value
            return true
        }
        let count = Int(text).flatMap { (0...Int(Int32.max)).contains($0) ? $0 : nil }
        // Infinity and what no `Duration` holds are out of the range, too.
        let seconds = Double(text).flatMap { (0...1e9).contains($0) ? Duration.seconds($0) : nil }
        switch flag {
        case "--target": return store(text, \.target)
        case "--scenario": return store(Scenario(rawValue: text), \.scenario)
        case "--executor": return store(Executor(rawValue: text), \.executor)
        case "--concurrency": return store(count.flatMap { $0 > 0 ? $0 : nil }, \.concurrency)
        case "--duration": return store(seconds.flatMap { $0 > .zero ? $0 : nil }, \.duration)
        case "--warmup": return store(seconds, \.warmup)
        case "--req": return store(count, \.requestByteCount)
        case "--resp": return store(count, \.responseByteCount)
        case "--count": return store(count, \.messageCount)
        case "--trace": return store(count.map { $0 > 0 }, \.counts)
        case "--spin": return store(count.map { .microseconds($0) }, \.spin)
        default: return false
        }
    }
}
