import Foundation
import Swiftlet
import SwiftletSecurity
import Synchronization
import Testing

/// An engine that reports the roots of each context that it makes, and makes no sessions.
private final class Reporting: TLSEngine, ChannelSecurity {
    struct NoSession: Error {}

    private let report: @Sendable (TLSOptions.PEM?) throws -> Void

    init(_ report: @escaping @Sendable (TLSOptions.PEM?) throws -> Void) { self.report = report }

    func makeContext(_ options: TLSOptions) throws -> any ChannelSecurity {
        try report(options.rootCertificates)
        return self
    }

    func makeSession(_ context: SecurityContext) throws -> any SecuritySession { throw NoSession() }
}

@Suite("A reload of certificates", .timeLimit(.minutes(5)))
struct ReloadOrderTests {
    @Test("by the program is not undone by one that has read the files before")
    func programWins() async throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "swiftlet-reload-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (first, second) = (folder.appending(path: "first"), folder.appending(path: "second"))
        @Sendable func write(_ text: String) throws {
            for file in [first, second] {
                try text.write(to: file, atomically: true, encoding: .utf8)
            }
        }
        func options(_ file: URL) -> TLSOptions {
            var options = TLSOptions()
            options.rootCertificates = .file(file.path(percentEncoded: false))
            options.reloadInterval = .milliseconds(1)
            return options
        }
        try write("a")
        let (all, one) = AsyncStream.makeStream(of: TLSOptions.PEM?.self)
        let used = Mutex<ChannelCredentials?>(nil)
        let replacement = options(second)
        let credentials = try ChannelCredentials.tls(
            options(first),
            engine: Reporting { roots in
                one.yield(roots)
                // The check of the files has begun, and is not over.
                try used.withLock { $0.take() }?.reload(replacement)
            })
        used.withLock { $0 = credentials }
        try write("bb")
        var roots = all.makeAsyncIterator()
        for file in [first, first, second] {
            #expect(await roots.next() == options(file).rootCertificates)
        }
        try write("ccc")
        #expect(await roots.next() == replacement.rootCertificates)
    }
}
