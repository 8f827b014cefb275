import Testing

@testable import SwiftletCore

/// A reader fails its call when it cannot decode a message. Another thread may deliver events at
/// the same time.
@Suite("An inbox whose reader has failed the call")
struct InboxTests {
    private static let failure = RPCError(.internal, "a message that cannot be read")

    /// A call that ignores all requests.
    private final class Idle: CallRequests {
        func start() {}
        func start(only _: consuming EncodedMessage) {}
        func write(_: consuming EncodedMessage, andFinish _: Bool, allowsCompression _: Bool) {}
        func finish() {}
        func receiveNext() {}
        func fail(_: RPCError) {}
        var errorOfUnreadEnd: RPCError? { nil }
        var mayHaveSent: Bool { true }
    }

    private static var trailers: Metadata {
        var trailers = Metadata()
        trailers["x-cost"] = "3"
        return trailers
    }

    @Test("drops later messages, and keeps the error after the end of the call")
    func failedBefore() {
        let inbox = ResponseInbox()
        inbox.receive(message: [1], from: Idle())
        inbox.fail(Self.failure)
        inbox.receive(message: [2], from: Idle())
        #expect(inbox.polledCode == .internal)
        inbox.receive(end: CallEnd(error: nil, trailers: Self.trailers))
        #expect(inbox.polledCode == .internal)
        #expect(inbox.end?.trailers["x-cost"] == "3")
    }

    @Test("keeps the error when the end of the call arrived first")
    func endedBefore() {
        let inbox = ResponseInbox()
        inbox.receive(message: [1], from: Idle())
        inbox.receive(end: CallEnd(error: nil, trailers: Self.trailers))
        inbox.fail(Self.failure)
        #expect(inbox.polledCode == .internal)
        #expect(inbox.end?.trailers["x-cost"] == "3")
    }
}

extension ResponseInbox {
    /// The status code of the end; nil if there is no event, or if a message comes first.
    fileprivate var polledCode: StatusCode? {
        guard case .end(let end) = poll().found else { return nil }
        return end.error?.code
    }
}
