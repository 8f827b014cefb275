import SwiftletCore

/// Observes a call with one response, whose requests the program writes.
final class WritingObserver: CallObserver {
    /// Collects the response, and delivers it at the end of the call.
    private let response: SingleResponse
    /// Receives the initial metadata when it arrives.
    private let early: (@Sendable (Metadata) -> Void)?
    /// The part that the program uses.
    let control: HandlerControl

    init(early: (@Sendable (Metadata) -> Void)?, for handler: @escaping SingleResponse.Handler) {
        let control = HandlerControl(initialDemand: 0)
        response = SingleResponse { raw in
            control.callHasEnded()
            handler(&raw)
        }
        self.control = control
        self.early = early
    }
}

extension WritingObserver {
    var acceptsWholeResponse: Bool { true }
    var runsHandlers: Bool { true }

    func receive(initialMetadata: Metadata) {
        response.receive(initialMetadata: initialMetadata)
        early?(initialMetadata)
    }

    func receive(message: [UInt8], from call: any CallRequests) {
        response.receive(message: message, from: call)
    }

    func messageWasWritten(wasAccepted: Bool) {
        control.messageWasWritten(wasAccepted: wasAccepted)
    }

    func receive(end: consuming CallEnd) { response.receive(end: end) }

    func receive(_ whole: inout RawResponse, from call: any CallRequests) {
        response.receive(&whole, from: call)
    }
}
