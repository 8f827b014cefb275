import Synchronization

/// Counts the calls of each method: started, running and ended ones by status, their latencies, and
/// their bytes.
///
/// ```swift
/// let metrics = CallMetrics()
/// let channel = try Channel(target, credentials: .insecure, interceptors: [.all(metrics.interceptor)])
/// …
/// print(metrics.prometheusText)
/// ```
public final class CallMetrics: Sendable {
    /// Upper bounds of the latency histogram in seconds: those of gRPC's proposal A66.
    public static let latencyBounds: [Double] = [
        0, 0.00001, 0.00005, 0.0001, 0.0003, 0.0006, 0.0008, 0.001, 0.002, 0.003, 0.004, 0.005,
        0.006, 0.008, 0.01, 0.013, 0.016, 0.02, 0.025, 0.03, 0.04, 0.05, 0.065, 0.08, 0.1, 0.13,
        0.16, 0.2, 0.25, 0.3, 0.4, 0.5, 0.65, 0.8, 1, 2, 5, 10, 20, 50, 100,
    ]

    /// The counters of one method.
    public struct MethodCounts: Hashable, Sendable {
        /// Started calls, including those that are running.
        public var startedCount = 0
        /// Running calls.
        public var inFlightCount = 0
        /// Ended calls by status.
        public var completedCounts: [StatusCode: Int] = [:]
        /// Ended calls by bucket of ``CallMetrics/latencyBounds``, and one more bucket for those
        /// above.
        public var latencyCounts = [Int](repeating: 0, count: CallMetrics.latencyBounds.count + 1)
        /// The sum of all latencies.
        public var latencySum = Duration.zero
        /// Bytes of request messages, without prefixes.
        public var sentByteCount = 0
        /// Bytes of response messages, without prefixes.
        public var receivedByteCount = 0
    }

    private let methods = Mutex<[String: MethodCounts]>([:])

    public init() {}

    /// The counters so far, by path.
    public var snapshot: [String: MethodCounts] { methods.withLock { $0 } }

    /// The interceptor for a channel or a call.
    public var interceptor: InterceptorFactory {
        InterceptorFactory("metrics") { call in MeasuringInterceptor(self, call.path) }
    }

    fileprivate func count(_ path: String, _ change: (inout MethodCounts) -> Void) {
        methods.withLock { change(&$0[path, default: MethodCounts()]) }
    }
}

extension CallMetrics.MethodCounts {
    fileprivate mutating func completed(_ code: StatusCode, after duration: Duration) {
        inFlightCount -= 1
        completedCounts[code, default: 0] += 1
        latencySum += duration
        let seconds = duration / .seconds(1)
        let bounds = CallMetrics.latencyBounds
        latencyCounts[bounds.firstIndex { seconds <= $0 } ?? bounds.count] += 1
    }
}

private final class MeasuringInterceptor: Interceptor {
    private let metrics: CallMetrics
    private let path: String
    private var begun: ContinuousClock.Instant?
    private var sentByteCount = 0
    private var receivedByteCount = 0

    init(_ metrics: CallMetrics, _ path: String) {
        self.metrics = metrics
        self.path = path
    }

    func start(_ options: CallOptions, _ call: InterceptedCall) {
        begun = .now
        metrics.count(path) { counts in
            counts.startedCount += 1
            counts.inFlightCount += 1
        }
        call.start(options)
    }

    func write(_ message: RawMessage, _ call: InterceptedCall) {
        sentByteCount += message.byteCount
        call.write(message)
    }

    func receive(_ message: RawMessage, _ call: InterceptedCall) {
        receivedByteCount += message.byteCount
        call.deliver(message)
    }

    func cancel(_ call: InterceptedCall) {
        end(call.cancellation.code)
        call.cancel()
    }

    func close(_ end: CallEnd, _ call: InterceptedCall) {
        self.end(end.error?.code ?? .ok)
        call.close(end)
    }

    private func end(_ code: StatusCode) {
        guard let begun = begun.take() else { return }
        metrics.count(path) { counts in
            counts.completed(code, after: begun.duration(to: .now))
            counts.sentByteCount += sentByteCount
            counts.receivedByteCount += receivedByteCount
        }
    }
}

// MARK: - Prometheus

extension CallMetrics {
    /// The counters in Prometheus' text format.
    public var prometheusText: String {
        let methods = snapshot.sorted { $0.key < $1.key }
        var text = ""
        func family(_ name: String, _ kind: String, _ help: String) {
            text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind)\n"
        }
        func sample(_ name: String, _ path: String, _ labels: String = "", _ value: String) {
            text += "\(name){grpc_method=\"\(Self.escaped(path))\"\(labels)} \(value)\n"
        }
        family("grpc_client_call_started_total", "counter", "Calls started.")
        for (path, counts) in methods {
            sample("grpc_client_call_started_total", path, "", "\(counts.startedCount)")
        }
        family("grpc_client_call_in_flight", "gauge", "Running calls.")
        for (path, counts) in methods {
            sample("grpc_client_call_in_flight", path, "", "\(counts.inFlightCount)")
        }
        family("grpc_client_call_completed_total", "counter", "Calls ended, by status.")
        for (path, counts) in methods {
            let codes = counts.completedCounts.sorted { $0.key.rawValue < $1.key.rawValue }
            for (code, count) in codes {
                sample(
                    "grpc_client_call_completed_total", path, ",grpc_status=\"\(code)\"",
                    "\(count)")
            }
        }
        family("grpc_client_call_duration_seconds", "histogram", "From start to status.")
        for (path, counts) in methods {
            var sum = 0
            let bounds = Self.latencyBounds.map { "\($0)" } + ["+Inf"]
            for (bound, count) in zip(bounds, counts.latencyCounts) {
                sum += count
                sample(
                    "grpc_client_call_duration_seconds_bucket", path, ",le=\"\(bound)\"", "\(sum)")
            }
            sample(
                "grpc_client_call_duration_seconds_sum", path, "",
                "\(counts.latencySum / .seconds(1))")
            sample("grpc_client_call_duration_seconds_count", path, "", "\(sum)")
        }
        family("grpc_client_call_sent_bytes_total", "counter", "Bytes of request messages.")
        for (path, counts) in methods {
            sample("grpc_client_call_sent_bytes_total", path, "", "\(counts.sentByteCount)")
        }
        family("grpc_client_call_received_bytes_total", "counter", "Bytes of response messages.")
        for (path, counts) in methods {
            sample("grpc_client_call_received_bytes_total", path, "", "\(counts.receivedByteCount)")
        }
        return text
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.append(character)
            }
        }
        return escaped
    }
}
