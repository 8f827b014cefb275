import SwiftletCore

/// A meter of this module.
protocol EndMeter: CallMeter {
    /// The call has ended. Called before the status is delivered to the observer; only the first call counts.
    func ended(_ error: RPCError?)
}

extension EndMeter {
    func nameIsResolved() {}

    func measuring(_ observer: consuming any CallObserver) -> any CallObserver {
        MeasuredObserver(observer, self)
    }
}

/// Passes the events of a call to its observer, and tells the meter of its end.
final class MeasuredObserver: CallObserver {
    private let observer: any CallObserver
    private let meter: any EndMeter

    init(_ observer: any CallObserver, _ meter: any EndMeter) {
        self.observer = observer
        self.meter = meter
    }

    var keepsMessages: Bool { observer.keepsMessages }
    var acceptsWholeResponse: Bool { observer.acceptsWholeResponse }
    var runsHandlers: Bool { observer.runsHandlers }
    var isAwaited: Bool { observer.isAwaited }

    func receive(initialMetadata: Metadata) { observer.receive(initialMetadata: initialMetadata) }

    func receive(message: [UInt8], from call: any CallRequests) {
        observer.receive(message: message, from: call)
    }

    func receive(messages: inout MessageQueue, from call: any CallRequests) {
        observer.receive(messages: &messages, from: call)
    }

    func messageWasWritten(wasAccepted: Bool) {
        observer.messageWasWritten(wasAccepted: wasAccepted)
    }

    func receive(end: consuming CallEnd) {
        meter.ended(end.error)
        observer.receive(end: end)
    }

    func receive(_ response: inout RawResponse, from call: any CallRequests) {
        meter.ended(response.end.error)
        observer.receive(&response, from: call)
    }
}
