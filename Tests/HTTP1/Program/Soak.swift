import Foundation
import Swiftlet
import SwiftletJSONRPC
import Synchronization

/// Runs many tasks that call one HTTP/1.1 echo server for a given time. The server may close connections at
/// any time. Every call must end, every answer must belong to its request, and every failure must be
/// explained by a closed connection, a deadline or a cancellation.
struct Soak {
    /// Counts the outcomes of the calls.
    private final class Counts: Sendable {
        private let counts = Mutex<[String: Int]>([:])
        var all: [String: Int] { counts.withLock { $0 } }
        func add(_ outcome: String) { counts.withLock { $0[outcome, default: 0] += 1 } }
    }

    private enum Kind: String, CaseIterable {
        case get = "GET"
        case put = "PUT"
        case post = "POST"
        /// On a new channel.
        case cold
        case cancelled
        /// With a deadline that may pass.
        case hurried
    }

    private let url: String
    private let taskCount: Int
    private let channel: Channel
    private let path: String
    private let counts = Counts()

    init(url: String, taskCount: Int) throws {
        let address = try WebAddress(url)
        self.url = address.origin
        self.taskCount = taskCount
        path = address.path
        var arguments = ChannelArguments()
        arguments.maxConnectionCount = max(2, taskCount / 4)
        channel = try Channel(url: address.origin, arguments: arguments)
    }

    func run(for duration: Duration) async throws {
        let end = ContinuousClock.now + duration
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<taskCount {
                group.addTask {
                    while ContinuousClock.now < end { await callOnce() }
                }
            }
        }
        await channel.close()
        for (outcome, count) in counts.all.sorted(by: { $0.key < $1.key }) {
            FileHandle.standardOutput.write(Data("\(count)\t\(outcome)\n".utf8))
        }
        let wrong = counts.all.filter { $0.key.contains("WRONG") }
        guard wrong.isEmpty, counts.all.values.reduce(0, +) > taskCount else {
            throw RPCError(.internal, "the soak found \(wrong.count) kinds of wrong outcomes")
        }
        print("done")
    }

    private func callOnce() async {
        let kind = Kind.allCases.randomElement() ?? .get
        let body = Self.body(of: kind)
        do throws(RPCError) {
            let answer = try await answer(kind, body)
            let isRight = answer.status == 200 && answer.body == body
            counts.add("\(kind.rawValue) \(isRight ? "answered" : "WRONG ANSWER")")
        } catch {
            counts.add("\(kind.rawValue) \(Self.judge(error, kind))")
        }
    }

    private static func body(of kind: Kind) -> [UInt8] {
        guard kind != .get else { return [] }
        let byteCount = Bool.random() ? Int.random(in: 0..<200) : Int.random(in: 0..<200_000)
        // Random bytes make each body different. The rest repeats one byte, which is fast.
        return (0..<8).map { _ in UInt8.random(in: 0...255) }
            + [UInt8](repeating: .random(in: 0...255), count: byteCount)
    }

    private func answer(_ kind: Kind, _ body: [UInt8]) async throws(RPCError) -> HTTPAnswer {
        switch kind {
        case .get: try await channel.request(.get, path)
        case .put: try await channel.request(.put, path, body: body)
        case .post: try await channel.request(.post, path, body: body)
        case .cold: try await Channel(url: url).request(.put, path, body: body)
        case .hurried:
            try await channel.request(
                .put, path, body: body,
                options: .with { $0.timeout = .microseconds(Int.random(in: 0..<5_000)) })
        case .cancelled:
            try await cancelled(body)
        }
    }

    private func cancelled(_ body: [UInt8]) async throws(RPCError) -> HTTPAnswer {
        let task = Task { () async -> Result<HTTPAnswer, RPCError> in
            do throws(RPCError) {
                return .success(try await channel.request(.put, path, body: body))
            } catch {
                return .failure(error)
            }
        }
        for _ in 0..<Int.random(in: 0..<20) { await Task.yield() }
        task.cancel()
        return try await task.value.get()
    }

    /// A server may close a connection after an answer, and lose a request that arrived in the meantime. The
    /// client sends the request again, unless it is a POST, which may have been executed.
    private static func judge(_ error: RPCError, _ kind: Kind) -> String {
        switch (kind, error.code) {
        case (.post, .unavailable) where error.mayHaveBeenExecuted: "failed, not sent twice"
        case (.cancelled, .cancelled): "cancelled"
        case (.hurried, .deadlineExceeded): "late"
        default: "WRONG FAILURE: \(error)"
        }
    }
}
