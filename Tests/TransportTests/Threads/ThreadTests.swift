import Foundation
import Testing

@testable import SwiftletTransport

@Suite("A thread", .timeLimit(.minutes(5)))
struct ThreadTests {
    #if os(Linux)
        @Test("has the name that it was given, as far as the system's limit of 15 bytes")
        func name() async throws {
            for (name, visible) in [
                ("swiftlet-a", "swiftlet-a"), ("swiftlet-123456789", "swiftlet-123456"),
            ] {
                let comm = await withCheckedContinuation { continuation in
                    let hasStarted = Thread.start(name) {
                        continuation.resume(
                            returning: try? String(
                                contentsOfFile: "/proc/thread-self/comm", encoding: .utf8))
                    }
                    #expect(hasStarted)
                }
                #expect(comm == visible + "\n")
            }
        }
    #endif
}
