import SwiftletLoopback
import Synchronization
import Testing

@testable import Swiftlet
@testable import SwiftletCore

@Suite("The frame log", .timeLimit(.minutes(5)))
struct FrameLogTests {
    private final class Lines: Sendable {
        let all = Mutex<[String]>([])
        var texts: [String] { all.withLock { $0 } }
    }

    @Test("has a line for each frame in both directions, and neither headers nor messages")
    func frames() async throws {
        let secret = "a secret that stands in no log"
        let echo = Method<[UInt8], [UInt8]>("/t.T/Echo", .unary, request: .bytes, reply: .bytes)
        let server = try LoopbackServer { server in
            server.unary(echo) { request, _ in request }
        }
        let lines = Lines()
        var arguments = ChannelArguments()
        arguments.frameLog = FrameLog { line in lines.all.withLock { $0.append(line) } }
        let channel = try Channel(server.target, credentials: .insecure, arguments: arguments)
        var options = CallOptions()
        options.metadata["x-secret"] = secret
        let reply = try await channel.unary(echo, Array(secret.utf8), options: options)
        #expect(reply == Array(secret.utf8))
        // So large that, without a log, its DATA would be read directly into the message.
        let large = [UInt8](repeating: 7, count: 300_000)
        #expect(try await channel.unary(echo, large) == large)
        await channel.close()

        let texts = lines.texts
        #expect(
            texts.allSatisfy { $0.contains(" \(server.target) ") && $0.contains("connection ") })
        #expect(!texts.contains { $0.contains("secret") })
        func has(_ part: String) -> Bool { texts.contains { $0.contains(part) } }
        for part in [
            "→ client preface", "→ SETTINGS, ", "← SETTINGS, ", "← SETTINGS, 0 bytes, ACK",
            "→ HEADERS stream 1, ", "→ DATA stream 1, 35 bytes, END_STREAM",
            "← DATA stream 1, 35 bytes", "← HEADERS stream 1, ", "→ DATA stream 3, 16384 bytes",
            "→ GOAWAY, last stream 0, NO_ERROR",
        ] {
            #expect(has(part), "\(part) is missing in \(texts)")
        }
        let received = texts.filter { $0.contains("← DATA stream 3, ") }.compactMap { line in
            line.split(separator: ", ").dropFirst().first.flatMap { Int($0.prefix { $0.isNumber }) }
        }
        #expect(received.reduce(0, +) == 300_005)
    }
}
