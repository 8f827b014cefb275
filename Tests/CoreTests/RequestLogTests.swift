import SwiftletTransport
import Testing

@testable import SwiftletCore

@Suite("The log of a request")
struct RequestLogTests {
    private static func message(_ index: UInt8) -> EncodedMessage {
        .whole([0, 0, 0, 0, 1, index])
    }

    @Test("gives a stream every message once, and another stream all of them again")
    func replay() throws {
        var log = RequestLog(maxReplayByteCount: 256 << 10)
        for index: UInt8 in 0..<3 { log.append(Self.message(index), andFinish: false) }
        #expect(log.taken()?.indices == [0, 1, 2])
        #expect(log.taken() == nil)
        log.append(Self.message(3), andFinish: false)
        #expect(log.taken()?.indices == [3])
        log.append(Self.message(4), andFinish: true)
        log.rewind()
        let taken = log.taken()
        let all = try #require(taken)
        #expect(all.indices == [0, 1, 2, 3, 4])
        #expect(all.last == [false, false, false, false, true])
        #expect(log.taken() == nil)
    }

    @Test("keeps the messages that no stream has received, and drops the others")
    func partialCommit() throws {
        var log = RequestLog(maxReplayByteCount: 256 << 10)
        for index: UInt8 in 0..<2 { log.append(Self.message(index), andFinish: false) }
        _ = log.takePortion()
        log.append(Self.message(2), andFinish: false)
        log.commit()
        log.rewind()
        #expect(log.taken()?.indices == [2])
        log.commit()
        #expect(log.byteCount == 0)
        // From now on, messages are passed directly to the stream.
        log.passThrough(Self.message(3), andFinish: true)
        #expect(log.byteCount == 0)
        #expect(log.taken() == nil)
    }
}

extension RequestLog {
    /// Takes what a stream takes: the last byte of each message, and whether the message ends the request.
    fileprivate mutating func taken() -> (indices: [UInt8], last: [Bool])? {
        guard var portion = takePortion() else { return nil }
        var taken: (indices: [UInt8], last: [Bool]) = ([], [])
        portion.takeEach { message, isLast in
            taken.indices.append(message.bytes.last ?? 0)
            taken.last.append(isLast)
        }
        return taken
    }
}
