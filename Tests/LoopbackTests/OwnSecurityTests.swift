import Swiftlet
import SwiftletLoopback
import SwiftletSecurity
import Synchronization
import Testing

/// Combines every byte with a key by XOR, in records. In the handshake, each side sends a word. It protects
/// no data, but it has every step of a real security layer.
private struct Scrambling: ChannelSecurity {
    struct Failure: Error, CustomStringConvertible { let description: String }

    var key: UInt8
    var greeting = "sesame"

    func makeSession(_ context: SecurityContext) throws -> any SecuritySession {
        guard case .client(let host) = context.side else { return Session(isClient: false, self) }
        if host == "refused.test" { throw Failure(description: "no session for \(host)") }
        return Session(isClient: true, self)
    }

    final class Session: SecuritySession {
        private let isClient: Bool
        private let security: Scrambling
        // Safe, although the compiler cannot check it: a session is used by one thread at a time.
        nonisolated(unsafe) private var partial: [UInt8] = []
        nonisolated(unsafe) private var hasGreeted = false

        init(isClient: Bool, _ security: Scrambling) {
            self.isClient = isClient
            self.security = security
        }

        func handshake(_ received: inout [UInt8], sending output: inout [UInt8]) throws -> Bool {
            let greeting = Array(security.greeting.utf8)
            if unsafe !hasGreeted, isClient || received.count >= greeting.count {
                unsafe hasGreeted = true
                output += greeting
            }
            guard received.count >= greeting.count else { return false }
            guard received.starts(with: greeting) else {
                throw Failure(description: "the peer does not know the word")
            }
            received.removeFirst(greeting.count)
            return true
        }

        /// Opens records. A record is a length in two bytes, and then this number of bytes.
        func open(
            _ received: [UInt8], into plaintext: inout [UInt8], sending output: inout [UInt8]
        ) throws {
            unsafe partial += received
            var rest = unsafe partial[...]
            while rest.count >= 2 {
                let count = Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
                guard rest.count >= 2 + count else { break }
                plaintext += rest.dropFirst(2).prefix(count).map { $0 ^ security.key }
                rest = rest.dropFirst(2 + count)
            }
            unsafe partial = Array(rest)
        }

        func seal(_ plaintext: [UInt8], sending output: inout [UInt8]) throws {
            for start in stride(from: 0, to: plaintext.count, by: 60_000) {
                let part = plaintext[start..<min(start + 60_000, plaintext.count)]
                output += [UInt8(part.count >> 8), UInt8(part.count & 0xff)]
                output += part.map { $0 ^ security.key }
            }
        }

        func close(sending output: inout [UInt8]) {}
    }
}

@Suite("A call over a security layer of the program", .timeLimit(.minutes(5)))
struct OwnSecurityTests {

    private static func server(_ security: Scrambling) throws -> LoopbackServer {
        try LoopbackServer(security: security) { server in
            server.unary(HostileTrial.echo) { request, _ in request }
        }
    }

    @Test("transmits messages", arguments: [0, 1, 59_999, 700_000])
    func echo(byteCount: Int) async throws {
        let server = try Self.server(Scrambling(key: 0x5a))
        let channel = try Channel(server.target, credentials: .own(Scrambling(key: 0x5a)))
        let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 13) }
        #expect(try await channel.unary(HostileTrial.echo, bytes) == bytes)
        #expect(try await channel.unary(HostileTrial.echo, [1]) == [1])
    }

    @Test("is secure enough for call credentials")
    func credentials() async throws {
        let server = try Self.server(Scrambling(key: 1))
        let channel = try Channel(server.target, credentials: .own(Scrambling(key: 1)))
        let options = CallOptions.with {
            $0.credentials = BearerToken("t")
        }
        #expect(try await channel.unary(HostileTrial.echo, [1], options: options) == [1])
    }

    @Test("fails with the text of the program's error")
    func failures() async throws {
        let server = try Self.server(Scrambling(key: 1))
        let stranger = try Channel(
            server.target, credentials: .own(Scrambling(key: 1, greeting: "friend")))
        let atHandshake = await #expect(throws: RPCError.self) {
            try await stranger.unary(HostileTrial.echo, [1])
        }
        #expect(atHandshake?.code == .unavailable)
        #expect(atHandshake?.phase == .tls)

        let refused = try Channel(
            server.target,
            credentials: .own(Scrambling(key: 1), targetNameOverride: "refused.test"))
        let before = await #expect(throws: RPCError.self) {
            try await refused.unary(HostileTrial.echo, [1])
        }
        #expect(before?.message.contains("no session for refused.test") == true, "\(before as Any)")

        let scrambled = try Channel(server.target, credentials: .own(Scrambling(key: 2)))
        let after = await #expect(throws: RPCError.self) {
            try await scrambled.unary(HostileTrial.echo, [1])
        }
        #expect(after?.code == .unavailable || after?.code == .internal, "\(after as Any)")
    }
}
