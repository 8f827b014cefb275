import Testing

@testable import SwiftletCore

@Suite("A response body")
struct MessageAssemblerTests {
    private func read(
        _ pieces: [[UInt8]], _ framing: BodyFraming, maxByteCount: Int? = nil
    ) throws(RPCError) -> (messages: [[UInt8]], isTruncated: Bool) {
        var assembler = MessageAssembler(framing, maxByteCount: maxByteCount)
        var messages: [[UInt8]] = []
        for piece in pieces {
            var offset = 0
            while let message = try assembler.next(in: piece.span, at: &offset) {
                messages.append(message.bytes)
            }
        }
        if let last = assembler.takeLast() {
            #expect(!last.isCompressed)
            messages.append(last.bytes)
        }
        return (messages, assembler.isInsideMessage)
    }

    @Test("with length prefixes contains a message for each prefix")
    func prefixes() throws {
        let body: [UInt8] = [0, 0, 0, 0, 1, 7, 0, 0, 0, 0, 2, 8, 9]
        for cut in 0...body.count {
            let read = try read([Array(body[..<cut]), Array(body[cut...])], .lengthPrefixed)
            #expect(read.messages == [[7], [8, 9]])
            #expect(!read.isTruncated)
        }
    }

    @Test("with length prefixes is truncated if it ends inside a message")
    func truncated() throws {
        #expect(try read([[0, 0, 0, 0, 2, 8]], .lengthPrefixed).isTruncated)
        #expect(try read([[0, 0]], .lengthPrefixed).isTruncated)
    }

    @Test("of plain HTTP is one message, even if it is empty")
    func whole() throws {
        #expect(try read([[1], [2, 3]], .wholeBody).messages == [[1, 2, 3]])
        #expect(try read([], .wholeBody).messages == [[]])
    }

    @Test(
        "above the limit fails the call, and at the limit does not",
        arguments: [BodyFraming.lengthPrefixed, .wholeBody])
    func limit(framing: BodyFraming) throws {
        let prefix: [UInt8] = framing == .lengthPrefixed ? [0, 0, 0, 0, 3] : []
        #expect(
            try read([prefix + [1, 2], [3]], framing, maxByteCount: 3).messages == [[1, 2, 3]])
        let error = #expect(throws: RPCError.self) {
            try read([prefix + [1, 2], [3]], framing, maxByteCount: 2)
        }
        #expect(error?.code == .resourceExhausted)
    }
}
