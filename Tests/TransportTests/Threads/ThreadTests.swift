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

        @Test("has a stack of 4 MiB, whatever the system's default is")
        func stack() async throws {
            let left: UInt? = await withCheckedContinuation { continuation in
                let hasStarted = Thread.start("swiftlet-test") {
                    continuation.resume(returning: Self.leftStackByteCount())
                }
                #expect(hasStarted)
            }
            // The thread's own frames have used a part.
            #expect((4 << 20) - (64 << 10)...4 << 20 ~= left ?? 0)
        }

        /// The bytes from here down to the end of the calling thread's stack.
        private static func leftStackByteCount() -> UInt? {
            var local = 0
            // Only the pointer's value is used, not what it points to.
            let address = unsafe withUnsafePointer(to: &local) { UInt(bitPattern: $0) }
            // Read to the end: `String(contentsOfFile:)` stops after one page of such a file.
            let file = FileHandle(forReadingAtPath: "/proc/self/maps")
            let maps = (try? file?.readToEnd()).map { String(decoding: $0, as: UTF8.self) } ?? ""
            for line in maps.split(separator: "\n") {
                let bounds = line.prefix { $0 != " " }.split(separator: "-")
                    .compactMap { UInt($0, radix: 16) }
                if bounds.count == 2, bounds[0] <= address, address < bounds[1] {
                    return address - bounds[0]
                }
            }
            return nil
        }
    #endif
}
