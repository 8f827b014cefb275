/// Chooses the subchannel of a call. A balancer reports a new picker whenever its choice changes. An object, so that
/// a call does not copy it.
///
/// A picker is called on the thread of the call, by many threads at once, and must not block.
public protocol Picker: AnyObject, Sendable {
    /// Chooses a subchannel for `call`.
    func pick(_ call: borrowing PickInfo) -> Pick
}

/// The properties of a call that a picker can use.
public struct PickInfo: Sendable {
    /// Asked only for what a picker reads, because copies of all parts would cost each call more than most choices.
    private let call: any PickedCall

    init(_ call: any PickedCall) { self.call = call }

    /// Describes a call. A test of a picker makes its own.
    public init(path: String, metadata: Metadata = Metadata()) {
        self.init(path: path, metadata: metadata, requestHash: nil)
    }

    package init(
        path: String, metadata: Metadata = Metadata(), requestHash: UInt64?,
        attributes: (any CallAttributes)? = nil
    ) {
        call = DescribedCall(
            path: path, metadata: metadata, requestHash: requestHash, attributes: attributes)
    }

    /// `/package.Service/Method`.
    public var path: String { call.path }
    /// The metadata that the call is sent with.
    public var metadata: Metadata { call.metadataToPick }
    /// The hash by which `ring_hash` places the call; nil when the resolver computes none.
    package var requestHash: UInt64? { call.requestHash }
    /// What the channel's config selector tells the pickers of its module; nil without a selector.
    package var attributes: (any CallAttributes)? { call.attributes }
    /// Measures the attempt; nil if nothing of it is measured.
    package var meter: (any AttemptMeter)? { call.meter }
}

/// A call whose server is chosen.
protocol PickedCall: AnyObject, Sendable {
    var path: String { get }
    /// The call's own metadata, without that of an attempt.
    var metadataToPick: Metadata { get }
    var requestHash: UInt64? { get }
    var attributes: (any CallAttributes)? { get }
    var meter: (any AttemptMeter)? { get }
}

extension CallCore: PickedCall {
    var path: String { head.path }
    var metadataToPick: Metadata { head.metadata }
    var requestHash: UInt64? { head.requestHash }
    var attributes: (any CallAttributes)? { head.rules?.attributes }
}

/// What a test says of a call.
private final class DescribedCall: PickedCall {
    let path: String
    let metadataToPick: Metadata
    let requestHash: UInt64?
    let attributes: (any CallAttributes)?
    let meter: (any AttemptMeter)? = nil

    init(
        path: String, metadata: Metadata, requestHash: UInt64?, attributes: (any CallAttributes)?
    ) {
        self.path = path
        metadataToPick = metadata
        self.requestHash = requestHash
        self.attributes = attributes
    }
}

/// What the pickers of a config selector's module read of a call.
package protocol CallAttributes: AnyObject, Sendable {}

/// A picker's decision. It moves and is not copied: a picker that looks into another picker's decision takes it apart
/// with `switch consume`.
@nonexhaustive
public enum Pick: ~Copyable, Sendable {
    /// The call is sent on the subchannel. If the subchannel has lost its connection, the call
    /// waits for the next picker. The trackers receive the outcome, even if the call was not sent.
    case subchannel(Subchannel, trackers: CallTrackers = CallTrackers())
    /// The call waits for the next picker. `connecting` is asked to connect. If it is nil and the balancer has
    /// reported IDLE, ``Balancer/exitIdle(_:)`` is called.
    case queue(connecting: Subchannel? = nil)
    /// The call fails, unless it waits for ready: then it waits for the next picker. A code that only a
    /// server's application may use becomes INTERNAL (proposal A54).
    case fail(RPCError)
    /// The call fails, even when it waits for ready, and is not retried.
    case drop(RPCError)

    /// The call is sent on the subchannel. The tracker, if there is one, receives the outcome.
    public static func subchannel(_ subchannel: Subchannel, tracker: (any CallTracker)?) -> Pick {
        .subchannel(subchannel, trackers: CallTrackers(tracker))
    }
}

/// Receives the outcome of one call that a picker sent to a subchannel. Its method is called once,
/// on any thread. An object, so that a call allocates none: the calls to a server share theirs.
public protocol CallTracker: AnyObject, Sendable {
    /// The call has ended.
    func callEnded(_ outcome: CallOutcome)
}

/// The trackers of one call: each picker that its choice passes may add one. Two of them cost no allocation.
public struct CallTrackers: Sendable {
    private(set) var first: (any CallTracker)?
    private var second: (any CallTracker)?

    /// Holds one tracker; none by default.
    public init(_ tracker: (any CallTracker)? = nil) { first = tracker }

    /// Whether there is none.
    public var isEmpty: Bool { first == nil }

    /// Adds a tracker to those of the picker below.
    public mutating func add(_ tracker: consuming any CallTracker) {
        if first == nil {
            first = tracker
        } else if second == nil {
            second = tracker
        } else {
            (first, second) = (TrackerGroup(trackers: self), tracker)
        }
    }

    /// Reports the outcome to each.
    public func callEnded(_ outcome: CallOutcome) {
        first?.callEnded(outcome)
        second?.callEnded(outcome)
    }

    mutating func take() -> CallTrackers {
        let taken = consume self
        self = CallTrackers()
        return taken
    }
}

/// Several trackers in the place of one.
private final class TrackerGroup: CallTracker {
    private let trackers: CallTrackers

    init(trackers: CallTrackers) { self.trackers = trackers }

    func callEnded(_ outcome: CallOutcome) { trackers.callEnded(outcome) }
}

/// How a call ended, for the picker that chose its server.
public struct CallOutcome: Sendable {
    /// The status of the call.
    public var code: StatusCode
    /// The load that the server reported with the call's trailers. The module `SwiftletBalancing` reads it.
    package var report = Report.none
    /// Whether the call was sent on the subchannel; true by default. It is not sent when the subchannel
    /// lost its connection after the pick.
    public var wasSent: Bool

    /// Makes an outcome.
    public init(code: StatusCode, wasSent: Bool = true) {
        self.code = code
        self.wasSent = wasSent
    }

    /// One word, because most servers report no load, and each call passes its outcome to its trackers.
    package indirect enum Report: Sendable {
        case none
        /// `xds.data.orca.v3.OrcaLoadReport`, encoded.
        case encoded([UInt8])
        case decoded(LoadReport)
    }
}

/// The load that a server reports, in the terms of Open Request Cost Aggregation.
public struct LoadReport: Hashable, Sendable {
    /// The part of the processor that is in use, from 0; above 1 it is overloaded.
    public var cpuUtilization = 0.0
    /// The part of the memory that is in use, from 0 to 1.
    public var memoryUtilization = 0.0
    /// The part of its capacity that is in use according to the application, from 0.
    public var applicationUtilization = 0.0
    /// Requests per second.
    public var requestsPerSecond = 0.0
    /// Failed requests per second.
    public var errorsPerSecond = 0.0
    /// The use of other resources, from 0 to 1, by name.
    public var utilization: [String: Double] = [:]
    /// Metrics of the application, by name.
    public var namedMetrics: [String: Double] = [:]

    /// No load.
    public init() {}

    /// The trailer in which a server reports its load with a call.
    static let trailerName = "endpoint-load-metrics-bin"
}
