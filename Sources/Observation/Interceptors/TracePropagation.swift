public import SwiftletCore
import SwiftletInterceptors

/// The position of a call in a distributed trace: W3C Trace Context.
public struct TraceParent: Hashable, Sendable {
    /// Sixteen bytes, the same in every call of a trace.
    public var traceID: [UInt8]
    /// Eight bytes that identify the caller's part of the trace.
    public var spanID: [UInt8]
    public var isSampled: Bool

    /// The header that carries it.
    static let headerName = "traceparent"

    private static let ofTask = TaskLocal<TraceParent?>(wrappedValue: nil)

    /// The span that the calls of the present task belong to; nil by default.
    public static var current: TraceParent? { ofTask.get() }

    /// Runs `body`, whose calls belong to this span. Tasks that it makes inherit that, except detached ones.
    public func asCurrent<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        try await Self.ofTask.withValue(self, operation: body)
    }

    /// Runs `body`, whose calls belong to this span.
    public func asCurrent<Value>(_ body: () throws -> Value) rethrows -> Value {
        try Self.ofTask.withValue(self, operation: body)
    }

    public init(traceID: [UInt8], spanID: [UInt8], isSampled: Bool) {
        self.traceID = traceID
        self.spanID = spanID
        self.isSampled = isSampled
    }

    /// The first span of a new trace.
    public init(isSampled: Bool = true) {
        self.init(
            traceID: Self.random(count: 16), spanID: Self.random(count: 8), isSampled: isSampled)
    }

    /// Reads the value of the header; nil if it is malformed. An unknown version is read as this
    /// one, as the specification demands.
    public init?(_ header: String) {
        let parts = header.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard parts.count >= 4, let version = Self.bytes(parts[0]), version.count == 1,
            version[0] != 0xff, version[0] > 0 || parts.count == 4,
            let traceID = Self.bytes(parts[1]), traceID.count == 16,
            traceID.contains(where: { $0 != 0 }),
            let spanID = Self.bytes(parts[2]), spanID.count == 8,
            spanID.contains(where: { $0 != 0 }),
            let flags = Self.bytes(parts[3]), flags.count == 1
        else { return nil }
        self.init(traceID: traceID, spanID: spanID, isSampled: flags[0] & 1 == 1)
    }

    /// The next span of the same trace.
    public func child() -> TraceParent {
        TraceParent(traceID: traceID, spanID: Self.random(count: 8), isSampled: isSampled)
    }

    /// The value of the `traceparent` header.
    public var header: String {
        "00-\(Self.text(traceID))-\(Self.text(spanID))-\(isSampled ? "01" : "00")"
    }

    private static func random(count: Int) -> [UInt8] {
        var bytes = (0..<count).map { _ in UInt8.random(in: 0 ... .max) }
        // All zeros is not a valid ID.
        if !bytes.contains(where: { $0 != 0 }) { bytes[0] = 1 }
        return bytes
    }

    private static let digits = Array("0123456789abcdef".utf8)

    static func text(_ bytes: [UInt8]) -> String {
        String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
            as: UTF8.self)
    }

    private static func bytes(_ text: String) -> [UInt8]? {
        let values = text.utf8.map { digits.firstIndex(of: $0) }
        guard values.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: values.count, by: 2) {
            guard let high = values[index], let low = values[index + 1] else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        return bytes
    }
}

/// Propagates a trace: each call gets a span, and its ID is sent to the server in the `traceparent`
/// header.
///
/// ```swift
/// let tracing = TracePropagation(
///     current: { MyTracer.current },
///     started: { span, call in MyTracer.begin(span, call.path) },
///     ended: { span, call, error in MyTracer.end(span, error) })
/// let channel = try Channel(target, credentials: .insecure, interceptors: [.all(tracing.interceptor)])
/// ```
public struct TracePropagation: Sendable {
    private let current: @Sendable () -> TraceParent?
    private let started: @Sendable (TraceParent, CallDescription) -> Void
    private let ended: @Sendable (TraceParent, CallDescription, RPCError?) -> Void

    /// - Parameters:
    ///   - current: Returns the caller's span; nil begins a new trace. The default is ``TraceParent/current``. Called
    ///     on the thread that makes the call, and again on the thread of an interceptor that restarts it.
    ///   - started: Called with the span of a call at its start.
    ///   - ended: Called with the span of a call at its end.
    public init(
        current: @escaping @Sendable () -> TraceParent? = { TraceParent.current },
        started: @escaping @Sendable (TraceParent, CallDescription) -> Void = { _, _ in },
        ended: @escaping @Sendable (TraceParent, CallDescription, RPCError?) -> Void = { _, _, _ in
        }
    ) {
        self.current = current
        self.started = started
        self.ended = ended
    }

    /// Makes a span for each call, and sends it in the header `traceparent`. A header of that name that the caller has
    /// set is replaced.
    public var interceptor: InterceptorFactory {
        InterceptorFactory("trace") { _ in
            // Called here, because the interceptor's methods may run on another thread.
            TracingInterceptor(self, (current() ?? TraceParent()).child())
        }
    }

    fileprivate func begin(_ span: TraceParent, _ call: CallDescription) { started(span, call) }

    fileprivate func end(_ span: TraceParent, _ call: CallDescription, _ error: RPCError?) {
        ended(span, call, error)
    }
}

private final class TracingInterceptor: Interceptor {
    private let propagation: TracePropagation
    private let span: TraceParent
    /// Whether the span has begun and not ended.
    private var isOpen = false

    init(_ propagation: TracePropagation, _ span: TraceParent) {
        self.propagation = propagation
        self.span = span
    }

    func start(_ options: CallOptions, _ call: InterceptedCall) {
        isOpen = true
        propagation.begin(span, call.description)
        var options = options
        options.metadata.removeAll(TraceParent.headerName)
        options.metadata.append(span.header, for: TraceParent.headerName)
        call.start(options)
    }

    func cancel(_ call: InterceptedCall) {
        end(call, call.cancellation)
        call.cancel()
    }

    func close(_ end: CallEnd, _ call: InterceptedCall) {
        self.end(call, end.error)
        call.close(end)
    }

    private func end(_ call: InterceptedCall, _ error: RPCError?) {
        guard isOpen else { return }
        isOpen = false
        propagation.end(span, call.description, error)
    }
}
