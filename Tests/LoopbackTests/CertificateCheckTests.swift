import Foundation
import Swiftlet
import SwiftletLoopback
import Synchronization
import Testing

@Suite(
    "Checks of the server's certificates", .timeLimit(.minutes(5)),
    .enabled(if: TLSLibrary.isHere, "OpenSSL is not installed"))
struct CertificateCheckTests {
    /// The digests in the error for a server with other keys.
    private static func keys(in failure: RPCError) -> [String] {
        failure.message.split { " ,'\"()".contains($0) }
            .filter { $0.hasPrefix("sha256/") }.map { String($0) }
    }

    @Test("accept a pinned key of the server or of its authority, and no other")
    func pins() async throws {
        let server = try SecureCallTests.server("server")
        var options = try CertificateTests.options()
        options.pinnedKeys = [try PublicKeyPin(String(repeating: "0", count: 64))]
        let failure = try await CertificateTests.failure(server, .tls(options))
        #expect(failure.phase == .tls)
        let keys = Self.keys(in: failure)
        #expect(keys.count == 2, "\(failure.message)")
        for key in keys {
            options.pinnedKeys = [try PublicKeyPin(key)]
            let credentials = try ChannelCredentials.tls(options)
            for _ in 0..<2 {
                #expect(try await CertificateTests.call(server, credentials) == [1])
            }
        }
        // A pin does not replace the verification of the certificate chain.
        options.rootCertificates = .text(try SecureCallTests.pem("other-ca.pem"))
        #expect(try await CertificateTests.failure(server, .tls(options)).phase == .tls)
    }

    @Test("accept only the server's own key if the chain is not verified")
    func pinsWithoutVerification() async throws {
        let server = try SecureCallTests.server("server")
        var options = try CertificateTests.options()
        let other = try PublicKeyPin(String(repeating: "0", count: 64))
        options.pinnedKeys = [other]
        let all = Self.keys(in: try await CertificateTests.failure(server, .tls(options)))
        options.acceptsAnyCertificate = true
        let own = Self.keys(in: try await CertificateTests.failure(server, .tls(options)))
        #expect(own.count == 1 && all.first == own.first)
        options.pinnedKeys = [try PublicKeyPin(try #require(own.first)), other]
        #expect(try await CertificateTests.call(server, .tls(options)) == [1])
        options.pinnedKeys = [try PublicKeyPin(try #require(all.last))]
        #expect(try await CertificateTests.failure(server, .tls(options)).phase == .tls)
    }

    @Test("accept only pins of 32 bytes", arguments: ["", "sha256/", "0g", "AAAA", "sha1/00"])
    func badPin(text: String) throws {
        let error = #expect(throws: RPCError.self) { try PublicKeyPin(text) }
        #expect(error?.code == .invalidArgument)
        let pin = try PublicKeyPin("sha256/" + String(repeating: "ab", count: 32))
        #expect(try PublicKeyPin(pin.description) == pin)
    }

    /// Records the arguments of the program's check.
    private final class Questions: Sendable {
        private let list = Mutex<[(chainCount: Int, server: String)]>([])
        func add(_ chain: [[UInt8]], _ server: String) {
            list.withLock { $0.append((chain.count, server)) }
        }
        var chainCounts: [Int] { list.withLock { $0.map(\.chainCount) } }
        var servers: [String] { list.withLock { $0.map(\.server) } }
    }

    @Test("by the program follow the built-in check, for each connection")
    func afterBuiltIn() async throws {
        let server = try SecureCallTests.server("server")
        let questions = Questions()
        var options = try CertificateTests.options()
        options.targetNameOverride = "localhost"
        options.verification = PeerVerification { questions.add($0, $1) }
        let credentials = try ChannelCredentials.tls(options)
        for _ in 0..<2 { #expect(try await CertificateTests.call(server, credentials) == [1]) }
        #expect(questions.chainCounts == [2, 2])
        #expect(questions.servers == ["localhost", "localhost"])
        let other = try SecureCallTests.server("unknown-authority")
        #expect(try await CertificateTests.failure(other, credentials).phase == .tls)
        #expect(questions.servers.count == 2)
    }

    @Test("by the program continue after a reload with options without a check")
    func afterReload() async throws {
        let server = try SecureCallTests.server("server")
        let questions = Questions()
        var options = try CertificateTests.options()
        options.verification = PeerVerification { questions.add($0, $1) }
        let credentials = try ChannelCredentials.tls(options)
        try credentials.reload(try CertificateTests.options())
        for _ in 0..<3 { #expect(try await CertificateTests.call(server, credentials) == [1]) }
        #expect(questions.chainCounts == [2, 2, 2])
    }

    @Test("by the program replace the built-in check if the options say so")
    func instead() async throws {
        let server = try SecureCallTests.server("unknown-authority")
        let questions = Questions()
        var options = try CertificateTests.options()
        options.verification = PeerVerification(.insteadOfBuiltIn) { questions.add($0, $1) }
        #expect(try await CertificateTests.call(server, .tls(options)) == [1])
        #expect(questions.chainCounts.allSatisfy { $0 > 0 } && questions.servers.count == 1)
    }

    @Test("by the program that throw fail the connection with the thrown reason")
    func refused() async throws {
        let server = try SecureCallTests.server("server")
        var options = try CertificateTests.options()
        options.verification = PeerVerification { _, _ in
            throw RPCError(.unauthenticated, "revoked yesterday")
        }
        let failure = try await CertificateTests.failure(server, .tls(options))
        #expect(failure.phase == .tls)
        #expect("\(failure)".contains("revoked yesterday"))
    }

    @Test("by the program that never end are cancelled in time, and delay no other channel")
    func endless() async throws {
        let server = try SecureCallTests.server("server")
        let check = EndlessCheck()
        var options = try CertificateTests.options()
        options.verification = check.verification
        var arguments = ChannelArguments()
        arguments.initialReconnectBackoff = .milliseconds(1)
        arguments.maxReconnectBackoff = .milliseconds(1)
        arguments.connectTimeout = .seconds(2)
        let channel = try Channel(
            server.target, credentials: .tls(options), arguments: arguments)
        channel.connect()
        // On a busy machine an attempt may time out before its check begins. Another attempt follows.
        _ = await check.begun.first { true }
        // A call on another channel of the same thread succeeds in the meantime.
        #expect(
            try await CertificateTests.call(server, .tls(try CertificateTests.options())) == [1])
        var failure = ""
        while !failure.contains("verification") {
            let error = await #expect(throws: RPCError.self) {
                try await channel.unary(HostileTrial.echo, [1])
            }
            failure = error.map { "\($0)" } ?? ""
            await Task.yield()
        }
        _ = await check.cancelled.first { true }
    }

    @Test("by the program that still run when the channel closes are cancelled")
    func closed() async throws {
        let server = try SecureCallTests.server("server")
        let check = EndlessCheck()
        var options = try CertificateTests.options()
        options.verification = check.verification
        let channel = try Channel(server.target, credentials: .tls(options))
        channel.connect()
        _ = await check.begun.first { true }
        await channel.close()
        _ = await check.cancelled.first { true }
    }
}

/// A check that ends only when it is cancelled.
private struct EndlessCheck {
    let begun: AsyncStream<Void>
    let cancelled: AsyncStream<Void>
    let verification: PeerVerification

    init() {
        let (begun, isBegun) = AsyncStream.makeStream(of: Void.self)
        let (cancelled, isCancelled) = AsyncStream.makeStream(of: Void.self)
        self.begun = begun
        self.cancelled = cancelled
        verification = PeerVerification { _, _ in
            isBegun.yield()
            do {
                try await Task.sleep(for: .seconds(3_600))
            } catch {
                isCancelled.yield()
                throw error
            }
        }
    }
}
