import SwiftletTransport
import Testing

@testable import SwiftletBalancing
@testable import SwiftletCore

@Suite("A request that attempts repeat")
struct RequestReplayTests {
    /// A request, and an attempt that performs its operations.
    private final class Trial {
        var replay = RequestReplay(maxByteCount: 12)
        var positions = [RequestReplay.Position(), RequestReplay.Position()]

        func write(_ byte: Int, allowsCompression: Bool = true, andFinish: Bool = false) -> Bool {
            replay.write(
                EncodedMessage(prefixing: [UInt8(byte)]), allowsCompression: allowsCompression,
                andFinish: andFinish)
        }

        /// The operations of an attempt until it has the whole request.
        func steps(of attempt: Int, drops: Bool = false) -> [String] {
            var steps: [String] = []
            while let step = replay.next(for: &positions[attempt], drops: drops) {
                switch step {
                case .write(let message, let allowsCompression, let andFinish):
                    steps.append(
                        message.bytes.dropFirst(MessagePrefix.byteCount).map { "\($0)" }.joined()
                            + (allowsCompression ? "" : " as it is") + (andFinish ? " last" : ""))
                case .finish: steps.append("finish")
                case .receiveNext: steps.append("receive")
                }
            }
            return steps
        }
    }

    @Test("is given to each attempt from its beginning, and ends with its last message")
    func whole() {
        let trial = Trial()
        #expect(trial.write(1))
        #expect(trial.steps(of: 0) == ["1"])
        trial.replay.receiveNext()
        #expect(trial.write(2, allowsCompression: false, andFinish: true))
        #expect(!trial.write(3))
        #expect(trial.steps(of: 0) == ["receive", "2 as it is last"])
        #expect(trial.steps(of: 1) == ["receive", "1", "2 as it is last"])
    }

    @Test("ends by itself for an attempt that has its last message already")
    func lateEnd() {
        let trial = Trial()
        #expect(trial.write(1))
        #expect(trial.steps(of: 0) == ["1"])
        trial.replay.finish()
        #expect(trial.steps(of: 0) == ["finish"])
        #expect(trial.steps(of: 1) == ["1 last"])
    }

    @Test("without messages has an end")
    func empty() {
        let trial = Trial()
        #expect(trial.steps(of: 0) == [])
        trial.replay.finish()
        #expect(trial.steps(of: 0) == ["finish"])
        #expect(trial.steps(of: 0) == [])
    }

    @Test("drops the messages that the committed attempt has, and continues with the next one")
    func dropped() {
        let trial = Trial()
        var next = 0
        for count in [3, 1, 0, 2, 1, 5] {
            let bytes = next..<next + count
            next += count
            #expect(bytes.allSatisfy { trial.write($0) })
            #expect(trial.steps(of: 0, drops: true) == bytes.map { "\($0)" })
            #expect(trial.replay.byteCount == 0)
        }
    }

    @Test("is over its limit when it has more bytes, prefixes included")
    func limit() {
        let trial = Trial()
        for isOver in [false, false, true] {
            #expect(trial.write(1))
            #expect(trial.replay.isOverLimit == isOver)
        }
    }
}
