import Foundation
import Swiftlet
import Testing

/// Each test runs in its own process, because it changes the limits of the process.
@Suite("The shared queue", .timeLimit(.minutes(5)))
struct ScarcityTests {
    #if os(Linux)
        @Test("cannot be made without file descriptors, but can be made when some are free again")
        func sharedQueue() async throws {
            let result = try await #require(
                processExitsWith: .success, observing: [\.standardOutputContent]
            ) {
                var limit = rlimit()
                _ = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                var none = limit
                none.rlim_cur = 3
                _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none)
                do {
                    _ = try CompletionQueue.shared
                } catch {
                    print(error)
                }
                _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                print(try CompletionQueue.shared === CompletionQueue.shared)
            }
            let text = String(decoding: result.standardOutputContent, as: UTF8.self)
            #expect(text.contains("too many open files"), "\(text)")
            #expect(text.hasSuffix("true\n"), "\(text)")
        }
    #endif
}
