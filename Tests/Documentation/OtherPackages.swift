// Stand-ins for the parts of other packages that snippets use, under the names of their modules.
import Swiftlet

/// The part of swift-log that a log uses.
enum Logging {
    struct Logger {
        enum Level: String { case trace, debug, info, notice, warning, error, critical }
        enum Value { case stringConvertible(any CustomStringConvertible & Sendable) }
        init(label: String) {}
        func log(
            level: Level, _ message: @autoclosure () -> String,
            metadata: @autoclosure () -> [String: Value]
        ) {}
    }
}

/// The part of os_log that a log uses.
enum os {
    struct Logger {
        init(subsystem: String, category: String) {}
        func log(level: OSLogType, _ message: Text) {}
    }
    struct Text: ExpressibleByStringInterpolation {
        struct StringInterpolation: StringInterpolationProtocol {
            enum Privacy { case `public` }
            init(literalCapacity: Int, interpolationCount: Int) {}
            func appendLiteral(_ literal: String) {}
            func appendInterpolation(_ value: String, privacy: Privacy) {}
        }
        init(stringLiteral: String) {}
        init(stringInterpolation: StringInterpolation) {}
    }
}
enum OSLogType { case debug, info, `default`, error, fault }

/// The part of ServiceLifecycle that a service uses.
enum ServiceLifecycle {
    protocol Service: Sendable {
        func run() async throws
    }
    static func gracefulShutdown() async throws {}
}

/// The part of swift-metrics that a sink uses.
enum Metrics {
    struct Counter {
        init(label: String, dimensions: [(String, String)]) {}
        func increment(by amount: Int) {}
    }
    struct Meter {
        init(label: String, dimensions: [(String, String)]) {}
        func increment(by amount: Double) {}
        func decrement(by amount: Double) {}
    }
    struct Recorder {
        init(label: String, dimensions: [(String, String)]) {}
        func record(_ value: Double) {}
    }
}

/// The part of swift-distributed-tracing that a tracer uses.
enum Tracing {
    struct Context: Sendable {}
    enum SpanKind { case client }
    struct SpanStatus {
        enum Code { case error }
        init(code: Code, message: String?) {}
    }
    enum DefaultTracerClock {
        struct Timestamp { let nanosecondsSinceEpoch: UInt64 }
        static var now: Timestamp { Timestamp(nanosecondsSinceEpoch: 0) }
    }
    struct SpanEvent {
        init(name: String, at instant: DefaultTracerClock.Timestamp, attributes: SpanAttributes) {}
    }
    struct SpanAttributes: ExpressibleByDictionaryLiteral, Sendable {
        init(dictionaryLiteral elements: (String, String)...) {}
        mutating func merge(_ other: SpanAttributes) {}
        subscript(name: String) -> String? {
            get { nil }
            set {}
        }
        subscript(name: String) -> Int? {
            get { nil }
            set {}
        }
        subscript(name: String) -> Bool? {
            get { nil }
            set {}
        }
    }
    protocol Span: Sendable {
        var context: Context { get }
        func updateAttributes(_ update: (inout SpanAttributes) -> Void)
        func addEvent(_ event: SpanEvent)
        func setStatus(_ status: SpanStatus)
        func recordError(_ error: any Error)
        func end()
    }
    private struct EmptySpan: Span {
        let context = Context()
        func updateAttributes(_ update: (inout SpanAttributes) -> Void) {}
        func addEvent(_ event: SpanEvent) {}
        func setStatus(_ status: SpanStatus) {}
        func recordError(_ error: any Error) {}
        func end() {}
    }
    protocol Injector<Carrier> {
        associatedtype Carrier
        func inject(_ value: String, forKey key: String, into carrier: inout Carrier)
    }
    struct Instrument {
        func startSpan(
            _ name: String, context: Context = Context(), ofKind kind: SpanKind
        ) -> any Span { EmptySpan() }
        func inject<Carrier>(
            _ context: Context, into carrier: inout Carrier, using injector: some Injector<Carrier>
        ) {}
    }
    enum InstrumentationSystem {
        static var tracer: Instrument { Instrument() }
        static var instrument: Instrument { Instrument() }
    }
}

/// The part of OpenTelemetry's API that a sink uses.
enum OpenTelemetryApi {
    enum AttributeValue { case string(String) }
    protocol LongCounter {
        mutating func add(value: Int, attributes: [String: AttributeValue])
    }
    protocol LongUpDownCounter {
        mutating func add(value: Int, attributes: [String: AttributeValue])
    }
    protocol DoubleHistogram {
        mutating func record(value: Double, attributes: [String: AttributeValue])
    }
    protocol LongCounterBuilder: AnyObject {
        associatedtype Counter: LongCounter
        func build() -> Counter
    }
    protocol LongUpDownCounterBuilder: AnyObject {
        associatedtype Counter: LongUpDownCounter
        func build() -> Counter
    }
    protocol DoubleHistogramBuilder: AnyObject {
        associatedtype Histogram: DoubleHistogram
        func setExplicitBucketBoundariesAdvice(_ boundaries: [Double]) -> Self
        func build() -> Histogram
    }
    protocol Meter {
        associatedtype CounterBuilder: LongCounterBuilder
        associatedtype UpDownCounterBuilder: LongUpDownCounterBuilder
        associatedtype HistogramBuilder: DoubleHistogramBuilder
        func counterBuilder(name: String) -> CounterBuilder
        func upDownCounterBuilder(name: String) -> UpDownCounterBuilder
        func histogramBuilder(name: String) -> HistogramBuilder
    }
}
