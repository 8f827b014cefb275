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
            // The C library reuses larger stacks of ended threads, up to 40 MiB in total. The threads live at
            // the same time, so that some of them have a new stack.
            let threadCount = 12
            let (left, continuation) = AsyncStream.makeStream(of: UInt.self)
            let isMeasured = DispatchSemaphore(value: 0)
            for _ in 0..<threadCount {
                let hasStarted = Thread.start("swiftlet-test") {
                    continuation.yield(Self.leftStackByteCount() ?? 0)
                    isMeasured.wait()
                }
                #expect(hasStarted)
            }
            var measured: [UInt] = []
            for await byteCount in left.prefix(threadCount) { measured.append(byteCount) }
            for _ in 0..<threadCount { isMeasured.signal() }
            // The thread's own frames have used a part of the stack.
            let least: UInt = (4 << 20) - (64 << 10)
            #expect(measured.allSatisfy { $0 >= least })
            #expect(measured.contains { $0 <= 4 << 20 })
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
