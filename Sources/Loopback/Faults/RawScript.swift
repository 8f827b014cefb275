/// The bytes that a raw peer sends at each step of a connection at which a server can break the
/// protocol.
package struct RawScript: Sendable {
    package typealias Step = @Sendable (RawConnection) throws -> Void
    package typealias Answer = @Sendable (RawConnection, _ stream: UInt32) throws -> Void

    /// Sends the first frames of the connection. A correct server sends SETTINGS.
    package var opening: Step
    /// Answers a call whose request is complete.
    package var answer: Answer
    /// Called when the headers of a call have arrived.
    package var answerToHeaders: Answer?
    /// Called when a request has used up the initial window, if `grantsWindow` is false.
    package var answerToFullWindow: Answer?
    /// Returns DATA frames. The peer sends them after the answer, as the client's windows allow,
    /// and then trailers with the status OK. Only one call at a time can have a body. A
    /// WINDOW_UPDATE for a call's stream that arrives before the answer is ignored.
    package var body: (@Sendable (_ stream: UInt32) -> [[UInt8]])?
    /// Whether the client's SETTINGS and PINGs are answered.
    package var acknowledges = true
    /// Whether received DATA is answered with WINDOW_UPDATE.
    package var grantsWindow = true

    /// Makes a server that sends a correct connection preface, and `answer` for each complete
    /// request.
    package init(answer: @escaping Answer) {
        opening = { try $0.send(RawFrame.settings([])) }
        self.answer = answer
    }

    /// Makes a server that sends `opening` first, and a correct response for each complete request.
    package init(opening: @escaping Step) {
        self.opening = opening
        answer = { try $0.reply($1) }
    }

    /// A server without faults.
    package static let correct = RawScript { try $0.reply($1) }
}
