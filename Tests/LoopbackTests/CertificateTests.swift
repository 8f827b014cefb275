import Foundation
import Swiftlet
import SwiftletLoopback
import Synchronization
import Testing

@Suite(
    "Certificates", .timeLimit(.minutes(5)),
    .enabled(if: TLSLibrary.isHere, "OpenSSL is not installed"))
struct CertificateTests {
    /// Files of one test.
    private final class Folder {
        let url = FileManager.default.temporaryDirectory
            .appending(path: "swiftlet-certificates-\(UUID().uuidString)")

        init() throws {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(at: url) }

        /// Writes the first `share` of one of the tests' certificates or keys to a file in this folder.
        @discardableResult
        func put(_ name: String, as own: String, share: Double = 1) throws -> TLSOptions.PEM {
            let text = try SecureCallTests.pem(name)
            let path = url.appending(path: own).path(percentEncoded: false)
            try String(text.prefix(Int(Double(text.count) * share)))
                .write(toFile: path, atomically: false, encoding: .utf8)
            return .file(path)
        }

        /// The files of a client with a certificate.
        func client() throws -> TLSOptions {
            var options = TLSOptions()
            options.rootCertificates = try put("ca.pem", as: "ca.pem")
            options.certificateChain = try put("client.pem", as: "own.pem")
            options.privateKey = try put("client.key", as: "own.key")
            return options
        }
    }

    static func options() throws -> TLSOptions {
        var options = TLSOptions()
        options.rootCertificates = .text(try SecureCallTests.pem("ca.pem"))
        return options
    }

    static func call(
        _ server: LoopbackServer, _ credentials: ChannelCredentials
    ) async throws -> [UInt8] {
        try await Channel(server.target, credentials: credentials, arguments: patient)
            .unary(HostileTrial.echo, [1])
    }

    /// A check of the program waits for a thread of the pool, which the other tests may use for long.
    static var patient: ChannelArguments {
        var arguments = ChannelArguments()
        arguments.connectTimeout = .seconds(3_600)
        return arguments
    }

    static func failure(
        _ server: LoopbackServer, _ credentials: ChannelCredentials,
        _ arguments: ChannelArguments = patient
    ) async throws -> RPCError {
        let channel = try Channel(server.target, credentials: credentials, arguments: arguments)
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(HostileTrial.echo, [1])
        }
        let failure = try #require(error)
        #expect(failure.code == .unavailable)
        return failure
    }

    @Test("of authorities are used by new connections of a channel after a reload")
    func reloadedTrust() async throws {
        let server = try SecureCallTests.server("server")
        let folder = try Folder()
        var options = TLSOptions()
        options.rootCertificates = try folder.put("other-ca.pem", as: "ca.pem")
        let credentials = try ChannelCredentials.tls(options)
        let channel = try Channel(server.target, credentials: credentials)
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(HostileTrial.echo, [1])
        }
        #expect(error?.phase == .tls)
        try folder.put("ca.pem", as: "ca.pem")
        try credentials.reload()
        let reply = try await channel.unary(
            HostileTrial.echo, [1], options: .with { $0.waitForReady = true })
        #expect(reply == [1])
    }

    @Test("of the client are replaced, and an open connection keeps the old one")
    func reloadedIdentity() async throws {
        let server = try SecureCallTests.server("server", clients: "ca.pem")
        let folder = try Folder()
        let credentials = try ChannelCredentials.tls(try folder.client())
        let channel = try Channel(server.target, credentials: credentials)
        #expect(try await channel.unary(HostileTrial.echo, [1]) == [1])
        try folder.put("unknown-client.pem", as: "own.pem")
        try folder.put("unknown-client.key", as: "own.key")
        try credentials.reload()
        #expect(try await channel.unary(HostileTrial.echo, [2]) == [2])
        _ = try await Self.failure(server, credentials)
    }

    @Test("that cannot be used are refused by a reload, and the earlier ones stay in use")
    func halfWritten() async throws {
        let server = try SecureCallTests.server("server", clients: "ca.pem")
        let folder = try Folder()
        let credentials = try ChannelCredentials.tls(try folder.client())
        let broken: [(String, String, Double)] = [
            ("ca.pem", "ca.pem", 0.5), ("client.pem", "own.pem", 0.5), ("client.key", "own.key", 0),
            // The key of another certificate.
            ("unknown-client.key", "own.key", 1),
        ]
        for (name, own, share) in broken {
            try folder.put(name, as: own, share: share)
            let error = #expect(throws: RPCError.self) { try credentials.reload() }
            #expect(error?.code == .invalidArgument)
            #expect(try await Self.call(server, credentials) == [1])
            _ = try folder.client()
        }
        try credentials.reload()
        #expect(try await Self.call(server, credentials) == [1])
    }

    @Test("in files are reloaded at intervals, and a failed reload is reported")
    func polled() async throws {
        let server = try SecureCallTests.server("server")
        let folder = try Folder()
        let (reports, continuation) = AsyncStream.makeStream(of: RPCError?.self)
        var options = TLSOptions()
        options.rootCertificates = try folder.put("other-ca.pem", as: "ca.pem")
        options.reloadInterval = .milliseconds(5)
        options.whenReloaded = { continuation.yield($0) }
        let credentials = try ChannelCredentials.tls(options)
        _ = try await Self.failure(server, credentials)
        var report = reports.makeAsyncIterator()
        try folder.put("ca.pem", as: "ca.pem", share: 0.5)
        let failure = try #require(await report.next())
        #expect(failure?.code == .invalidArgument)
        try folder.put("ca.pem", as: "ca.pem")
        // A reload that reads the file while it is being written fails, too. Its report is skipped.
        while let next = await report.next(), next != nil {}
        #expect(try await Self.call(server, credentials) == [1])
    }

    @Test("given as text are reloaded only with new options")
    func text() async throws {
        let server = try SecureCallTests.server("server")
        var options = TLSOptions()
        options.rootCertificates = .text(try SecureCallTests.pem("other-ca.pem"))
        let credentials = try ChannelCredentials.tls(options)
        #expect(throws: RPCError.self) { try credentials.reload() }
        try credentials.reload(try Self.options())
        #expect(try await Self.call(server, credentials) == [1])
        let error = #expect(throws: RPCError.self) { try ChannelCredentials.insecure.reload() }
        #expect(error?.code == .failedPrecondition)
    }
}
