import Swiftlet

/// The flags of `swiftlet-bench client`: the flags of the benchmark clients in other languages, and a few
/// more.
struct ClientArguments {
    enum Scenario: String, CaseIterable {
        case unary, stream, idle, connections
        case serverStream = "server-stream"
        case clientStream = "client-stream"
    }

    /// The kind of call that is measured, and its executor.
    enum Executor: String, CaseIterable {
        /// Tasks on the default executor of tasks.
        case `default`
        /// Tasks on the completion queue's thread.
        case queue
        /// Calls that block their thread.
        case blocking
        case handlers
    }

    var target = ""
    /// The credentials of the connections: TLS if `--ca` names a file, otherwise no encryption.
    var credentials = ChannelCredentials.insecure
    var scenario = Scenario.unary
    var concurrency = 1
    var duration = Duration.seconds(5)
    var warmup = Duration.seconds(1)
    var requestByteCount = 16
    var responseByteCount = 16
    var messageCount = 100_000
    var executor = Executor.queue
    /// The time for which a queue polls for input before it sleeps.
    var spin = Duration.zero
    /// Whether the kernel counts allocations and system calls.
    var counts = false
}

extension ClientArguments {
    static let usage = """
        usage: swiftlet-bench client --target HOST:PORT [options]

          --ca FILE            use TLS, and trust the authorities in this file (PEM)
          --scenario NAME      unary, stream (ping-pong), server-stream, client-stream: work for
                               --duration; idle, connections: open, and tell the memory of each
          --concurrency N      calls outstanding at any time, streams or connections (1), up to
                               100000
          --duration SECONDS   measured time (5), from 0.001 up to 1e9, after
          --warmup SECONDS     time that does not count (1), up to 1e9
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

        All work but connections goes over one connection. The answer is one line of JSON. The exit
        status is 0, 1 when anything failed, calls among it, and 2 for wrong usage.
        """

    /// Reads the flags. Throws an error that names the wrong flag.
    init(_ words: [String]) throws(Complaint) {
        self.init()
        var rest = words[...]
        while let flag = rest.popFirst() { try set(flag, FlagValue(of: flag, in: &rest)) }
        guard !target.isEmpty else { throw Complaint("--target is missing") }
        guard scenario != .clientStream || messageCount > 0 else {
            throw Complaint("--count is at least 1 with --scenario client-stream")
        }
    }

    private mutating func set(_ flag: String, _ value: FlagValue) throws(Complaint) {
        let any = 0...Int(Int32.max)
        switch flag {
        case "--target": target = try value.target()
        case "--ca": credentials = try value.authority()
        case "--scenario": scenario = try value.choice()
        case "--executor": executor = try value.choice()
        case "--concurrency": concurrency = try value.count(in: 1...100_000)
        // The output is in milliseconds: a shorter time would be printed as zero.
        case "--duration": duration = try value.seconds(from: 0.001)
        case "--warmup": warmup = try value.seconds(from: 0)
        case "--req": requestByteCount = try value.count(in: any)
        case "--resp": responseByteCount = try value.count(in: any)
        case "--count": messageCount = try value.count(in: any)
        case "--trace": counts = try value.count(in: 0...1) > 0
        case "--spin": spin = .microseconds(try value.count(in: any))
        default: throw Complaint("there is no option '\(flag)'")
        }
    }
}
