package import SwiftletTransport
import Synchronization

// What a channel tells those who measure it. The module `SwiftletObservation` makes metrics of it. A channel that is
// not measured has no meter, and its calls do nothing of this.

/// Makes the meters of channels.
package protocol MeterSource: Hashable, Sendable {
    /// Nil if nothing of the channel is measured.
    func meter(of target: Target, isSecure: Bool) -> (any ChannelMeter)?
}

/// Measures a channel. Called on the threads of calls and connections, outside of every lock.
package protocol ChannelMeter: AnyObject, Sendable {
    /// Whether calls are measured.
    var measuresCalls: Bool { get }
    /// Whether the decisions of balancers are measured.
    var measuresBalancing: Bool { get }
    /// Nil if the call is not measured.
    func meter(of method: MethodSignature) -> (any CallMeter)?
    /// - Parameter labels: Those of the endpoint that the connections lead to.
    func record(_ change: ConnectionChange, _ labels: BackendLabels?)
    func record(_ decision: BalancingDecision)
    /// Whether the client of the channel's control plane is measured.
    var measuresControlPlane: Bool { get }
    func record(_ change: ControlPlaneChange)
}

/// A change of the connections of a subchannel, for metrics (proposal A94).
package enum ConnectionChange: Sendable {
    case opened
    /// An attempt to connect has failed.
    case failed
    /// Connections are no longer used for new calls. Their running calls may continue.
    case disconnected(LinkError.Kind, count: Int)
    case closed
}

/// A decision of a balancer, for metrics.
package enum BalancingDecision: Equatable, Sendable {
    /// `weighted_round_robin` has computed the weights of its endpoints (proposal A78).
    case weights(WeightUpdate, BackendLabels?)
    /// `outlier_detection` has found an endpoint (proposal A91).
    case outlier(Outlier, BackendLabels?)

    package struct Outlier: Equatable, Sendable {
        package enum Method: Sendable { case successRate, failurePercentage }
        package enum Result: Sendable { case ejected, keptByChance, keptByLimit }

        package let method: Method
        package let result: Result

        package init(_ method: Method, _ result: Result) {
            (self.method, self.result) = (method, result)
        }
    }
}

/// A change in the client of a control plane, for metrics (proposal A78).
package enum ControlPlaneChange: Equatable, Sendable {
    /// The number of working streams to a server has changed.
    case connected(server: String, by: Int)
    /// A server cannot be reached any more.
    case serverFailed(String)
    /// A response has arrived, with so many resources.
    case updates(server: String, resourceType: String, valid: Int, invalid: Int)
    /// The number of resources in a state has changed.
    case resources(Resources, by: Int)

    /// Resources that are counted together.
    package struct Resources: Hashable, Sendable {
        package let authority: String
        package let type: String
        package let state: String

        package init(authority: String, type: String, state: String) {
            (self.authority, self.type, self.state) = (authority, type, state)
        }
    }
}

/// Measures one call: the call as a whole and each of its attempts.
package protocol CallMeter: AnyObject, Sendable {
    func attempt(_ kind: AttemptKind) -> any AttemptMeter
    /// In place of ``attempt(_:)``, for a call with a retry policy. Measures the first attempt at once.
    func retried() -> any AttemptMeter
    /// The call has waited for the first result of the resolver; no attempt has begun before.
    func nameIsResolved()
    /// The observer of the call, with one before it that measures.
    func measuring(_ observer: consuming any CallObserver) -> any CallObserver
}

/// Measures the attempts of one ``CallCore``: the first attempt, and each attempt that follows because a
/// server did not process the one before it.
package protocol AttemptMeter: AnyObject, Sendable {
    /// Whether ``sent(_:)`` and ``received(_:)`` are called; false by default.
    var measuresMessages: Bool { get }
    /// Adds the headers that tell the server which attempt this is; none by default. Called before the
    /// first attempt starts, and before each one that follows by the retry policy.
    func addHeaders(to metadata: inout Metadata)
    /// The first attempt starts: the call looks for a connection. Has no effect if the call has ended in the
    /// meantime.
    func started(at now: MonotonicInstant)
    /// The balancer sends the running attempt there, or has decided at least for the service. The last one counts.
    func isRouted(to labels: BackendLabels)
    /// A message was made ready to be sent.
    func sent(_ size: MessageSize)
    /// A message is delivered to the observer.
    func received(_ size: MessageSize)
    /// The attempt ended and the next one starts, because the server did not process it.
    func isSentAgain(after error: RPCError, _ tally: CallTally)
    /// The call has ended. Only the first end has an effect.
    func ended(_ error: RPCError?, _ tally: CallTally)
    /// The end is about to be delivered to the observer, which has received all messages. Nothing follows.
    func endIsDelivered(_ error: RPCError?)
    /// The attempt has failed, and another one follows by the retry policy. Nothing is measured between the two.
    func attemptFailed(_ error: RPCError, _ tally: CallTally)
    /// The next attempt begins, unless the call has ended in the meantime. It sends the same messages.
    func beginNext(at now: MonotonicInstant)
    /// No attempt follows by a retry policy.
    func forgetMessages()
}

/// The size of a message, without its prefix.
package struct MessageSize: Equatable, Sendable {
    package let byteCount: Int
    /// The size on the wire, where the message may be compressed.
    package let wireByteCount: Int
}

/// Why an attempt is made (proposal A96).
package enum AttemptKind: Equatable, Sendable {
    case first
    case retry
    /// The previous attempt was not sent, or its server did not process it.
    case transparent
    case hedge
}

/// The counts of a call at the end of an attempt.
package struct CallTally: Sendable {
    package private(set) var streamCount: Int
    /// Bytes of messages, without prefixes.
    package let sentByteCount: Int
    /// Bytes of messages, without prefixes.
    package let receivedByteCount: Int
    var times: CallTimes

    package var timeline: CallTimeline? { times.timeline }

    /// The counts and times of an attempt alone.
    ///
    /// - Parameters:
    ///   - begun: When it began; nil if it began with the call.
    ///   - earlierCount: The streams of the attempts before it.
    package func ofAttempt(begun: MonotonicInstant?, after earlierCount: Int) -> CallTally {
        var tally = self
        tally.times.started = begun ?? times.started
        tally.streamCount -= earlierCount
        return tally
    }
}

// MARK: - Which meter a channel has

/// The source of the meters of channels whose arguments name none.
package enum ProcessMeters {
    private static let current = Mutex<(any MeterSource)?>(nil)

    package static var source: (any MeterSource)? {
        get { current.withLock { $0 } }
        set {
            var source = newValue
            current.withLock { swap(&$0, &source) }
            // The old one is released outside the lock.
        }
    }
}

extension ChannelArguments {
    /// The meter of a channel; nil if it is not measured.
    func meter(of target: Target, isSecure: Bool) -> (any ChannelMeter)? {
        (meterSource?.value as? any MeterSource ?? ProcessMeters.source)?.meter(
            of: target, isSecure: isSecure)
    }
}
