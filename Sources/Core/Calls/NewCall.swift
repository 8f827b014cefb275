import SwiftletTransport

/// A call on its way through the channel. Not copyable, so that its parts are moved.
struct NewCall: ~Copyable {
    let method: MethodSignature
    var options: CallOptions
    var observer: any CallObserver
    /// Nil in a channel without metrics.
    var meter: (any CallMeter)?
    /// When the program began the call; nil means now.
    var begun: MonotonicInstant?
}
