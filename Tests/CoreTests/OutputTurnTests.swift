import Testing

@testable import SwiftletCore

@Suite("The turn to write")
struct OutputTurnTests {
    /// Receives the result of a call, because `#expect` cannot call a mutating function.
    private func expect(
        _ isSo: Bool, _ wanted: Bool, _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(isSo == wanted, sourceLocation: location)
    }

    @Test("belongs to one thread at a time, and is requested once")
    func asking() {
        var turn = OutputTurn.idle
        expect(turn.ask(), true)
        expect(turn.ask(), false)
        expect(turn.begin(hasOutput: true), true)
        expect(turn.ask(), false)
        expect(turn.begin(hasOutput: true), false)
        expect(turn.goOn(socketIsFull: false, hasMore: true), true)
        expect(turn.goOn(socketIsFull: false, hasMore: false), false)
        #expect(turn == .idle)
    }

    @Test("ends at once when there is no output")
    func nothing() {
        var turn = OutputTurn.asked
        expect(turn.begin(hasOutput: false), false)
        #expect(turn == .idle)
    }

    @Test("ends when the socket is full, and may begin again when it is writable")
    func blocking() {
        var turn = OutputTurn.idle
        expect(turn.begin(hasOutput: true), true)
        expect(turn.goOn(socketIsFull: true, hasMore: true), false)
        #expect(turn == .blocked)
        expect(turn.ask(), false)
        expect(turn.begin(hasOutput: true), false)
        expect(turn.socketIsWritable(), true)
        expect(turn.begin(hasOutput: true), true)
    }

    @Test("continues when a full socket has become writable in the meantime")
    func announced() {
        var turn = OutputTurn.idle
        expect(turn.begin(hasOutput: true), true)
        expect(turn.socketIsWritable(), false)
        expect(turn.goOn(socketIsFull: true, hasMore: true), true)
        // The report that the socket is writable counts once. A socket that is full again blocks.
        expect(turn.goOn(socketIsFull: true, hasMore: true), false)
        #expect(turn == .blocked)
    }

    @Test("can be deferred to a requested flush, and never begins after the socket has failed")
    func putOff() {
        var turn = OutputTurn.idle
        expect(turn.begin(hasOutput: true), true)
        turn.putOff()
        expect(turn.ask(), false)
        expect(turn.begin(hasOutput: true), true)
        turn.fail()
        expect(turn.begin(hasOutput: true), false)
        expect(turn.socketIsWritable(), false)
        expect(turn.begin(hasOutput: true), false)
    }
}
