import Synchronization
import Testing

@testable import SwiftletCore

@Suite("The frame log of a connection", .timeLimit(.minutes(5)))
struct FrameLogTests {
    @Test("keeps 10,000 lines while one is written, and says how many are missing")
    func bound() {
        let ping: [UInt8] = [0, 0, 8, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        let lines = Mutex<[String]>([])
        let whileWriting = Mutex<(@Sendable () -> Void)?>(nil)
        let log = LinkFrameLog(
            FrameLog { line in
                lines.withLock { $0.append(line) }
                whileWriting.withLock { $0.take() }?()
            }, connection: 1, peer: "there")
        log.sent(Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + ping)
        whileWriting.withLock {
            $0 = { for _ in 0..<10_500 { log.sent(ping) } }
        }
        log.deliver()
        let before = lines.withLock { $0.count }
        #expect((10_000...10_002).contains(before))
        log.sent(ping)
        log.deliver()
        let missing = lines.withLock { $0[before] }
        let count = missing.split(separator: " ").compactMap { Int($0) }.last
        #expect(missing.hasSuffix("lines are missing"))
        #expect(count.map { (499...501).contains($0) } == true, "\(missing)")
        #expect(lines.withLock { $0.count } == before + 2)
    }
}
