package import SwiftletTransport

/// A call on its way through the channel. Not copyable, so that its parts are moved. One value, because the compiler
/// would make a copy of each function that takes an observer alone, for every type of observer.
package struct NewCall: ~Copyable {
    package let method: MethodSignature
    package internal(set) var options: CallOptions
    package internal(set) var observer: any CallObserver
    /// Nil in a channel without metrics.
    package internal(set) var meter: (any CallMeter)?
    /// When the program began the call; nil means now.
    package let begun: MonotonicInstant?

    package init(
        method: MethodSignature, options: consuming CallOptions,
        observer: consuming any CallObserver, meter: (any CallMeter)? = nil,
        begun: MonotonicInstant? = nil
    ) {
        self.method = method
        self.options = options
        self.observer = observer
        self.meter = meter
        self.begun = begun
    }
}
