/// Sends every call to one subchannel.
package final class SinglePicker: Picker {
    let subchannel: Subchannel

    init(_ subchannel: Subchannel) { self.subchannel = subchannel }

    package func pick(_ call: borrowing PickInfo) -> Pick { .subchannel(subchannel) }
}

/// Keeps calls waiting for the next picker.
package final class QueuePicker: Picker {
    /// The subchannel to connect when a call must wait; nil connects none.
    let connecting: Subchannel?

    package init(connecting: Subchannel? = nil) { self.connecting = connecting }

    package func pick(_ call: borrowing PickInfo) -> Pick { .queue(connecting: connecting) }
}

/// Fails calls that do not wait for ready.
package final class FailingPicker: Picker {
    let error: RPCError

    package init(error: RPCError) { self.error = error }

    package func pick(_ call: borrowing PickInfo) -> Pick { .fail(error) }
}

extension BalancerContext {
    /// Reports CONNECTING. Calls wait for the next picker.
    package mutating func reportConnecting() { report(.connecting, QueuePicker()) }

    /// Reports TRANSIENT_FAILURE. Calls fail with `error`, unless they wait for ready.
    package mutating func reportFailure(_ error: RPCError) {
        report(.transientFailure, FailingPicker(error: error))
    }
}

extension RPCError {
    /// The resolver found no address for a balancer.
    package static var noAddresses: RPCError {
        .noConnection("the resolver found no addresses")
    }

    /// A subchannel failed, and the channel reported no reason.
    package static var noReason: RPCError {
        .noConnection("no connection to any address")
    }
}

extension SubchannelState {
    /// The reason of a failure; a general one if the channel reported none.
    var error: RPCError { failure ?? .noReason }
}
