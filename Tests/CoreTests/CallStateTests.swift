import SwiftletTransport
import Testing

@testable import SwiftletCore

@Suite("The request direction of a call")
struct OutboundTests {
    private let message = EncodedMessage.whole([0, 0, 0, 0, 1, 7])

    @Test(
        "is sent again once after a server refused it, and any number of times if it was not sent")
    func resend() {
        var outbound = Outbound(maxReplayByteCount: 100)
        outbound.writeOnly(message)
        for attempt in 0..<5 {
            #expect(outbound.beginOpening().attempt == attempt)
            #expect(outbound.prepareResend(wasSent: false) == true)
        }
        #expect(outbound.prepareResend(wasSent: true) == true)
        #expect(outbound.prepareResend(wasSent: true) == false)
    }

    @Test("is not sent again after the server has begun to answer")
    func committed() {
        var outbound = Outbound(maxReplayByteCount: 100)
        outbound.writeOnly(message)
        _ = outbound.beginOpening()
        outbound.attached()
        outbound.commit()
        #expect(outbound.prepareResend(wasSent: false) == false)
    }

    @Test("reports a waiting write when there is room for it, or as failed when the call ends")
    func room() {
        var outbound = Outbound(maxReplayByteCount: 100)
        outbound.noteBlockedWrite()
        #expect(outbound.hasReports == false)
        outbound.reportRoom()
        #expect(outbound.takeReport(includingLosses: true) == true)
        outbound.noteBlockedWrite()
        outbound.close()
        #expect(outbound.takeReport(includingLosses: false) == nil)
        #expect(outbound.takeReport(includingLosses: true) == false)
        #expect(outbound.hasReports == false)
    }

    @Test("accepts no message after its end")
    func finished() {
        var outbound = Outbound(maxReplayByteCount: 100)
        #expect(outbound.finish(hasStream: false) == true)
        #expect(outbound.finish(hasStream: false) == false)
        guard case .ended = outbound.write(message, andFinish: false, hasStream: true) else {
            Issue.record("a message was accepted after the end of the request")
            return
        }
        #expect(outbound.sentByteCount == 0)
    }
}

@Suite("The response direction of a call")
struct InboundTests {
    private func received(_ bytes: [UInt8], heldBack: Int = 0) throws -> Inbound {
        var inbound = Inbound(
            .lengthPrefixed, maxByteCount: nil, heldBackByteCount: heldBack)
        try inbound.receiveBody(bytes.span)
        return inbound
    }

    @Test("keeps back the window of messages that were not requested")
    func window() throws {
        var inbound = try received([0, 0, 0, 0, 1, 7, 0, 0, 0, 0, 1, 8])
        #expect(inbound.takeReturnable().byteCount == 0)
        inbound.request()
        #expect(inbound.takeMessage()?.0.bytes == [7])
        #expect(inbound.takeReturnable().byteCount == 6)
        #expect(inbound.takeReturnable().byteCount == 0)
        #expect(inbound.takeMessage() == nil)
    }

    @Test("returns the window of an incomplete message only if the message was requested")
    func arriving() throws {
        var inbound = try received([0, 0, 0, 0, 9, 1, 2])
        // The prefix was consumed.
        #expect(inbound.takeReturnable().byteCount == 5)
        inbound.request()
        #expect(inbound.takeReturnable().byteCount == 2)
    }

    @Test("reports the missing bytes of a message only if the message was requested")
    func awaited() throws {
        var inbound = try received([0, 0, 0, 0, 9, 1, 2])
        #expect(inbound.takeReturnable() == Consumption(byteCount: 5))
        inbound.request()
        #expect(inbound.takeReturnable() == Consumption(byteCount: 2, awaitedByteCount: 7))
        try inbound.receiveBody([3, 4, 5, 6, 7, 8, 9].span)
        #expect(inbound.takeMessage() != nil)
        #expect(inbound.takeReturnable() == Consumption(byteCount: 7))
    }

    @Test("asks for no more window than the only message lacks, and the beginning of another")
    func only() throws {
        var inbound = Inbound(
            .lengthPrefixed, maxByteCount: nil, heldBackByteCount: 3, takesOne: true)
        inbound.request(2)
        try inbound.receiveBody([0, 0, 0, 0, 9, 1, 2].span)
        #expect(
            inbound.takeReturnable()
                == Consumption(byteCount: 7, awaitedByteCount: 7 + 9, isLast: true))
        try inbound.receiveBody([3, 4, 5, 6, 7, 8, 9].span)
        #expect(inbound.takeMessage() != nil)
        #expect(
            inbound.takeReturnable() == Consumption(byteCount: 7, awaitedByteCount: 9, isLast: true)
        )
    }

    @Test("keeps back the window of messages that the observer stores until they are read")
    func kept() throws {
        var inbound = try received([0, 0, 0, 0, 1, 7, 0, 0, 0, 0, 1, 8])
        inbound.request()
        #expect(inbound.takeAllMessages().count == 2)
        #expect(inbound.takeReturnable().byteCount == 6)
        inbound.noteRead(6)
        #expect(inbound.takeReturnable().byteCount == 6)
    }

    @Test("drops an incomplete message at the end of the call, and keeps the whole ones")
    func closed() throws {
        var inbound = try received([0, 0, 0, 0, 1, 7, 0, 0, 0, 0, 9, 1, 2])
        #expect(inbound.messageByteCount == 1)
        inbound.close()
        #expect(inbound.endBody() == nil)
        #expect(inbound.messageByteCount == 1)
        inbound.request()
        #expect(inbound.takeMessage()?.0.bytes == [7])
    }

    @Test("of plain HTTP is a whole response when its body is complete")
    func wholeBody() throws {
        var inbound = Inbound(.wholeBody, maxByteCount: nil, heldBackByteCount: 0)
        inbound.request(2)
        try inbound.receiveBody([1, 2].span)
        try inbound.receiveBody([3].span)
        #expect(inbound.takeReturnable().byteCount == 3)
        #expect(inbound.endBody() == nil)
        #expect(inbound.isWholeResponse == true)
        #expect(inbound.messageByteCount == 3)
        #expect(inbound.takeResponse().message == [1, 2, 3])
    }

    @Test("is a whole response until a part of it was delivered")
    func whole() throws {
        var inbound = try received([0, 0, 0, 0, 1, 7])
        #expect(inbound.isWholeResponse == false)
        inbound.request(2)
        #expect(inbound.isWholeResponse == true)
        inbound.receiveHeaders(httpStatus: 200, .identity, ["a": "b"])
        #expect(inbound.takeInitialMetadata()?["a"] == "b")
        #expect(inbound.takeInitialMetadata() == nil)
        #expect(inbound.isWholeResponse == false)
    }
}

@Suite("The lifetime of a call")
struct LifetimeTests {
    private final class Observer: CallObserver {
        func receive(initialMetadata: Metadata) {}
        func receive(message: [UInt8], from call: any CallRequests) {}
        func messageWasWritten(wasAccepted: Bool) {}
        func receive(end: consuming CallEnd) {}
    }

    private let cancelled = RPCError(.cancelled, "cancelled")

    @Test("starts once, and delivers one end")
    func once() {
        var lifetime = Lifetime(Observer())
        #expect(lifetime.start(now: .now) == true)
        #expect(lifetime.start(now: .now) == false)
        _ = lifetime.end(ResponseEnd(error: nil), at: .now)
        #expect(lifetime.isOver == true)
        let first = lifetime.takeEnd()
        let second = lifetime.takeEnd()
        #expect(first != nil && second == nil)
    }

    @Test("replaces an end only while it waits for messages")
    func replaced() {
        var waiting = Lifetime(Observer())
        _ = waiting.end(ResponseEnd(error: nil), at: .now)
        #expect(waiting.replaceEnd(with: cancelled) == true)
        #expect(waiting.failure == cancelled)
        let end = waiting.takeEnd()?.end
        #expect(end?.isImmediate == true)
        #expect(end?.error == cancelled)
        #expect(waiting.replaceEnd(with: cancelled) == false)
    }
}
