public import SwiftletCore

/// Makes the spans of calls: one for each call, and below it one for each attempt (gRPC's proposal A72).
///
/// A program implements it to join its own tracing. ``SpanRecorder`` needs no other system.
///
/// ```swift
/// var arguments = ChannelArguments()
/// arguments.tracer = SpanRecorder { span in print(span) }
/// ```
///
/// A call continues only after a method has returned. The library holds no lock meanwhile.
public protocol CallTracer: AnyObject, Sendable {
    /// Begins the span of a call; nil if the call is not traced. Called on the thread and in the task that makes
    /// the call, so that task-local values are the caller's.
    func begin(_ call: TracedCall) -> (any TraceSpan)?
}

/// The span of a call or of an attempt.
public protocol TraceSpan: AnyObject, Sendable {
    /// Begins the span of an attempt; nil if attempts are not traced. Called on a call's span only.
    func begin(_ attempt: TracedAttempt) -> (any TraceSpan)?

    /// Adds the headers that tell the server of this span, such as `traceparent`. Called once on an attempt's span.
    func addHeaders(to metadata: inout Metadata)

    /// Adds an event. Events of one span may come from several threads, and not in the order of their time.
    func add(_ event: TraceEvent)

    /// Ends the span. Called once. An event of another thread may arrive a moment later, and counts no more.
    ///
    /// - Parameter error: How the call or the attempt has failed; nil for OK.
    func end(_ error: RPCError?)
}

/// A call that begins.
public struct TracedCall: Hashable, Sendable {
    /// The name of its span: `Sent.helloworld.Greeter.SayHello`.
    public let name: String
    /// `/helloworld.Greeter/SayHello`.
    public let path: String
    /// How many messages each side sends.
    public let shape: CallShape
    /// The channel's target with its scheme: `dns:///localhost:50051`.
    public let target: String

    /// For tests of a tracer. In a program, the library makes it.
    public init(path: String, shape: CallShape, target: String) {
        name = "Sent.\(Self.dotted(path))"
        self.path = path
        self.shape = shape
        self.target = target
    }

    /// `helloworld.Greeter.SayHello`.
    static func dotted(_ path: String) -> String {
        String(
            decoding: path.utf8.drop { $0 == UInt8(ascii: "/") }.map {
                $0 == UInt8(ascii: "/") ? UInt8(ascii: ".") : $0
            }, as: UTF8.self)
    }

    /// OpenTelemetry's attributes for the span of a call.
    public var attributes: [TraceAttribute] {
        TraceAttribute.method(path) + [TraceAttribute("server.address", .text(target))]
    }
}

/// An attempt of a call that begins.
public struct TracedAttempt: Hashable, Sendable {
    /// The name of its span: `Attempt.helloworld.Greeter.SayHello`.
    public let name: String
    /// The attempts of the call before this one.
    public let previousCount: Int
    /// Whether the attempt before it was not sent, or its server did not process it.
    public let isTransparentRetry: Bool

    /// For tests of a tracer. In a program, the library makes it.
    public init(path: String, previousCount: Int, isTransparentRetry: Bool) {
        name = "Attempt.\(TracedCall.dotted(path))"
        self.previousCount = previousCount
        self.isTransparentRetry = isTransparentRetry
    }

    /// The attributes that gRPC's proposal names.
    public var attributes: [TraceAttribute] {
        [
            TraceAttribute("previous-rpc-attempts", .number(previousCount)),
            TraceAttribute("transparent-retry", .flag(isTransparentRetry)),
        ]
    }
}

/// Something that happens in a call or an attempt: a message, or the end of a wait.
public struct TraceEvent: Hashable, Sendable {
    /// `Outbound message`, `Inbound message`, `Delayed name resolution complete`, `Delayed LB pick complete`,
    /// `Transparent retry`.
    public let name: String
    public let instant: ContinuousClock.Instant
    public let attributes: [TraceAttribute]

    public init(
        _ name: String, at instant: ContinuousClock.Instant = .now,
        _ attributes: [TraceAttribute] = []
    ) {
        self.name = name
        self.instant = instant
        self.attributes = attributes
    }
}

/// A key and its value, in a span, an event or an entry of a log.
public struct TraceAttribute: Hashable, Sendable {
    /// The value of an attribute.
    public enum Value: Hashable, Sendable, CustomStringConvertible {
        /// A string.
        case text(String)
        /// An integer.
        case number(Int)
        /// True or false.
        case flag(Bool)

        /// The text, the number in decimal, `true` or `false`.
        public var description: String {
            switch self {
            case .text(let text): text
            case .number(let number): "\(number)"
            case .flag(let flag): "\(flag)"
            }
        }
    }

    /// The name of the value, such as `rpc.method`.
    public let key: String
    /// The value.
    public let value: Value

    /// Makes an attribute. Checks neither the key nor the value.
    public init(_ key: String, _ value: Value) {
        self.key = key
        self.value = value
    }

    /// OpenTelemetry's attributes for the method with this path.
    static func method(_ path: String) -> [TraceAttribute] {
        let method = path.utf8.drop { $0 == UInt8(ascii: "/") }
        let parts = method.split(separator: UInt8(ascii: "/"), maxSplits: 1)
        let names = parts.map { String(decoding: $0, as: UTF8.self) }
        return [
            TraceAttribute("rpc.system", .text("grpc")),
            TraceAttribute("rpc.service", .text(names.first ?? "")),
            TraceAttribute("rpc.method", .text(names.count > 1 ? names[1] : "")),
        ]
    }
}

// MARK: - The tracer of a channel

extension ChannelArguments {
    /// The tracer of the channel's calls. Nil, the default, means that of ``CallTracers/ofProcess``. Without one, tracing
    /// costs calls nothing.
    public var tracer: (any CallTracer)? {
        get { (meterSource?.value as? ChannelObservers)?.tracer }
        set { observe { $0.tracer = newValue } }
    }
}

/// The tracer of the process.
public enum CallTracers {
    /// The tracer of channels whose `ChannelArguments.tracer` is nil; nil by default. A change applies to channels
    /// that are made afterwards.
    public static var ofProcess: (any CallTracer)? {
        get { ChannelObservers.ofProcess.tracer }
        set { ChannelObservers.ofProcess.tracer = newValue }
    }
}
