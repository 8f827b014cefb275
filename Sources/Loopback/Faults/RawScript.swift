/// What a raw peer does, in the places where a server may go wrong.
package struct RawScript: Sendable {
    package typealias Step = @Sendable (RawConnection) throws -> Void
    package typealias Answer = @Sendable (RawConnection, _ stream: UInt32) throws -> Void

    /// What is sent first; SETTINGS, where nothing is wrong.
    package var opening: Step
    /// What is sent for a call whose request has come in whole.
    package var answer: Answer
    /// What is sent for a call of which the headers have come in, and nothing else yet.
    package var answerToHeaders: Answer?
    /// What is sent once the request of a call has used up the initial window, where no room is granted.
    package var answerToFullWindow: Answer?
    /// DATA frames that follow the answer as the client's windows have room for them, and then the
    /// status OK. For one call at a time, whose windows are left as they are until its request is in.
    package var body: (@Sendable (_ stream: UInt32) -> [[UInt8]])?
    /// Whether the client's SETTINGS and PINGs are answered.
    package var acknowledges = true
    /// Whether DATA that was received is made room for again.
    package var grantsWindow = true

    /// A server that begins as it should.
    package init(answer: @escaping Answer) {
        opening = { try $0.send(RawFrame.settings([])) }
        self.answer = answer
    }

    /// A server that answers as it should.
    package init(opening: @escaping Step) {
        self.opening = opening
        answer = { try $0.reply($1) }
    }

    /// A server that does as it should.
    package static let correct = RawScript { try $0.reply($1) }
}
