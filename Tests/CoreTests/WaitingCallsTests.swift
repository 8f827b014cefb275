import TestSupport
import Testing

@testable import SwiftletCore

@Suite("Waiting calls", .timeLimit(.minutes(5)))
struct WaitingCallsTests {
    private static func calls(_ count: Int) throws -> [CallCore] {
        let backend = try CallTrial.Backend()
        let head = CallHead(
            MethodSignature(path: "/t.T/Echo", shape: .unary, contentSubtype: nil), CallOptions(),
            MessageLimits())
        return (0..<count).map { _ in
            CallCore(head, deadline: .never, backend: backend, observer: SingleResponse())
        }
    }

    private static func isSame(_ one: [CallCore], _ other: ArraySlice<CallCore>) -> Bool {
        one.count == other.count && zip(one, other).allSatisfy { $0 === $1 }
    }

    @Test("are handed out in the same time, one by one or together")
    func cost() throws {
        let call = try Self.calls(1)[0]
        let count = 100_000
        func handOut(_ size: Int) -> () -> Void {
            {
                var waiting = WaitingCalls()
                for _ in 0..<count { _ = waiting.append(call) }
                while !waiting.isEmpty { _ = waiting.handOut(upTo: size) }
            }
        }
        let ratio = ProcessorTime.ratio(of: handOut(1), to: handOut(count))
        #expect(ratio < 15, "\(ratio)")
    }

    @Test("are handed out in order, and taken by a condition")
    func order() throws {
        let calls = try Self.calls(10)
        var waiting = WaitingCalls()
        for call in calls { #expect(waiting.append(call).isEmpty) }
        #expect(Self.isSame(waiting.handOut(upTo: 3), calls[..<3]))
        let taken = waiting.take { $0 === calls[4] || $0 === calls[9] }
        #expect(Self.isSame(taken, [calls[4], calls[9]]))
        #expect(waiting.count == 5)
        #expect(Self.isSame(waiting.handOutAll(), [calls[3]] + calls[5...8]))
        #expect(waiting.isEmpty && waiting.isPending)
        waiting.begun(8)
        #expect(!waiting.isPending)
    }
}
