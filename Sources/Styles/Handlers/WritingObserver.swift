import SwiftletCore
import Synchronization

/// Collects the one response of a call whose requests the program writes, and delivers it at the end of the call.
///
/// A second message is an error of the server: it is dropped, and the call fails.
final class WritingObserver: CallObserver {
    /// Receives the response, once.
    typealias Handler = @Sendable (inout RawResponse) -> Void

    private struct State: ~Copyable {
        var message: [UInt8]?
        var initialMetadata: Metadata?
    }

    private let handler: Handler
    /// Receives the initial metadata when it arrives.
    private let early: (@Sendable (Metadata) -> Void)?
    /// The part that the program uses.
    let control = HandlerControl(initialDemand: 0)
    private let state = Mutex(State())

    init(early: (@Sendable (Metadata) -> Void)?, for handler: @escaping Handler) {
        self.handler = handler
        self.early = early
    }
}

extension WritingObserver {
    var acceptsWholeResponse: Bool { true }
    var runsHandlers: Bool { true }

    func receive(initialMetadata: Metadata) {
        state.withLock { $0.initialMetadata = initialMetadata }
        early?(initialMetadata)
    }

    func receive(message: [UInt8], from call: any CallRequests) {
        do throws(RPCError) {
            try state.withLock { state throws(RPCError) in
                try state.message.receiveOnly(message, of: nil)
            }
        } catch {
            call.fail(error)
        }
    }

    func messageWasWritten(wasAccepted: Bool) {
        control.messageWasWritten(wasAccepted: wasAccepted)
    }

    func receive(end: consuming CallEnd) {
        let (message, initialMetadata) = state.withLock { state in
            (state.message.take(), state.initialMetadata.take())
        }
        var response = RawResponse(
            message: message, initialMetadata: initialMetadata, end: end)
        hand(&response)
    }

    func receive(_ response: inout RawResponse, from call: any CallRequests) { hand(&response) }

    private func hand(_ response: inout RawResponse) {
        control.callHasEnded()
        handler(&response)
    }
}
