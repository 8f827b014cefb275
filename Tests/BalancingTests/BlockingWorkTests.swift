import Dispatch
import Synchronization
import Testing

@testable import SwiftletBalancing
@testable import SwiftletCore

@Suite("Work that blocks", .timeLimit(.minutes(5)))
struct BlockingWorkTests {
    @Test("runs on no more threads than allowed, and all of it runs")
    func limit() async throws {
        let work = BlockingWork("test", maxThreadCount: 2)
        let running = Mutex((now: 0, most: 0))
        let gate = DispatchSemaphore(value: 0)
        let (begins, begun) = AsyncStream.makeStream(of: Bool.self)
        for _ in 0..<20 {
            work.run { hasThread in
                running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                begun.yield(hasThread)
                gate.wait()
                running.withLock { $0.now -= 1 }
            }
        }
        var count = 0
        for await hasThread in begins.prefix(20) {
            #expect(hasThread)
            count += 1
            gate.signal()
        }
        #expect(count == 20)
        #expect(running.withLock { $0.most } <= 2)
    }
}
