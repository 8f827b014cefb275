import Dispatch
import Swiftlet
import SwiftletLoopback
import Synchronization
import Testing

@Suite("A call that lasts as long as a closure", .timeLimit(.minutes(5)))
struct ScopedCallTests {
    private static let echo = Method<HelloRequest, HelloReply>("/t.T/Echo", .bidirectional)
    private static let count = Method<HelloRequest, HelloReply>("/t.T/Count", .serverStreaming)

    /// A server that reports how the requests of each call ended. `Count` sends numbers until its call
    /// ends.
    private final class Server: Sendable {
        let loopback: LoopbackServer
        let ends: AsyncStream<RPCError?>

        init() throws {
            let (ends, continuation) = AsyncStream<RPCError?>.makeStream()
            self.ends = ends
            loopback = try LoopbackServer { server in
                server.bidirectional(ScopedCallTests.echo) { requests, replies, _ in
                    do {
                        for try await request in requests {
                            try await replies.write(HelloReply(message: request.name))
                        }
                        continuation.yield(nil)
                    } catch let error as RPCError {
                        continuation.yield(error)
                        throw error
                    }
                }
                server.serverStreaming(ScopedCallTests.count) { _, replies, _ in
                    do {
                        for index in 0... {
                            try await replies.write(HelloReply(message: "\(index)"))
                        }
                    } catch let error as RPCError {
                        continuation.yield(error)
                        throw error
                    }
                }
            }
        }

        /// Waits until a call has ended. Returns its error, or nil if its requests ended normally.
        var nextEnd: RPCError?? {
            get async {
                var ends = ends.makeAsyncIterator()
                return await ends.next()
            }
        }
    }

    private struct Enough: Error {}

    @Test("transmits in both directions, and returns the result of the closure")
    func conversation() async throws {
        let server = try Server()
        let channel = try Channel(server.loopback.target, credentials: .insecure)
        let last = try await channel.bidirectional(Self.echo) { requests, responses in
            var answers = responses.makeAsyncIterator()
            var last: String?
            for index in 0..<500 {
                try await requests.write(.init(name: "\(index)"))
                last = try await answers.next()?.message
                try #require(last == "\(index)")
            }
            requests.finish()
            #expect(try await answers.next() == nil)
            #expect(responses.stream.trailingMetadata != nil)
            return last
        }
        #expect(last == "499")
        #expect(await server.nextEnd == .some(nil))
    }

    @Test("is cancelled when the closure returns before its end")
    func leaving() async throws {
        let server = try Server()
        let channel = try Channel(server.loopback.target, credentials: .insecure)
        try await channel.bidirectional(Self.echo) { requests, responses in
            try await requests.write(.init(name: "one"))
            for try await answer in responses {
                #expect(answer.message == "one")
                break
            }
        }
        #expect(await server.nextEnd??.code == .cancelled)

        let sum = try await channel.serverStreaming(Self.count, .init(name: "")) { responses in
            var sum = 0
            for try await reply in responses {
                sum += Int(reply.message) ?? 0
                if sum >= 10 { break }
            }
            return sum
        }
        #expect(sum == 10)
        #expect(await server.nextEnd??.code == .cancelled)
    }

    @Test("is cancelled when the closure throws, and throws the same error")
    func throwing() async throws {
        let server = try Server()
        let channel = try Channel(server.loopback.target, credentials: .insecure)
        await #expect(throws: Enough.self) {
            try await channel.bidirectional(Self.echo) { requests, responses in
                try await requests.write(.init(name: "one"))
                for try await _ in responses { throw Enough() }
            }
        }
        #expect(await server.nextEnd??.code == .cancelled)
    }

    @Test("is cancelled with its task, whether the task waits or not", arguments: [true, false])
    func cancellation(waits: Bool) async throws {
        let server = try Server()
        let channel = try Channel(server.loopback.target, credentials: .insecure)
        let gate = Gate()
        let task = Task {
            if waits {
                try await channel.bidirectional(Self.echo) { requests, responses in
                    try await requests.write(.init(name: "one"))
                    for try await _ in responses { await gate.pass() }
                }
            } else {
                try await channel.serverStreaming(Self.count, .init(name: "")) { responses in
                    for try await _ in responses { await gate.pass() }
                }
            }
        }
        await gate.waitFor(1)
        gate.open()
        task.cancel()
        let error = await #expect(throws: RPCError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        #expect(await server.nextEnd??.code == .cancelled)
    }

    @Test("is cancelled at once in a cancelled task")
    func lateStart() async throws {
        let server = try Server()
        let channel = try Channel(server.loopback.target, credentials: .insecure)
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            try await channel.serverStreaming(Self.count, .init(name: "")) { responses in
                for try await _ in responses {}
            }
        }
        let error = await #expect(throws: RPCError.self) { try await task.value }
        #expect(error?.code == .cancelled)
    }

    @Test("throws the error that the server ends it with, and no error after its end")
    func serverError() async throws {
        let loopback = try LoopbackServer { server in
            server.serverStreaming(Self.count) { request, replies, _ in
                try await replies.write(HelloReply(message: "one"))
                if request.name == "fail" { throw RPCError(.dataLoss, "no more") }
            }
        }
        let channel = try Channel(loopback.target, credentials: .insecure)
        let error = await #expect(throws: RPCError.self) {
            try await channel.serverStreaming(Self.count, .init(name: "fail")) { responses in
                for try await _ in responses {}
            }
        }
        #expect(error?.code == .dataLoss)
        let messages = try await channel.serverStreaming(Self.count, .init(name: "")) {
            responses in
            var messages: [String] = []
            for try await reply in responses { messages.append(reply.message) }
            return messages
        }
        #expect(messages == ["one"])
    }

    @Test("runs its closure in the caller's isolation") @MainActor
    func isolation() async throws {
        let server = try Server()
        let channel = try Channel(server.loopback.target, credentials: .insecure)
        // Not `Sendable`, so the compiler checks that the closure runs in the caller's isolation.
        let seen = Seen()
        #expect(isOnMainQueue())
        try await channel.bidirectional(Self.echo) { requests, responses in
            seen.note(isOnMainQueue())
            try await requests.write(.init(name: "one"))
            for try await answer in responses {
                seen.note(isOnMainQueue() && answer.message == "one")
                requests.finish()
            }
            seen.note(isOnMainQueue())
        }
        #expect(seen.notes == [true, true, true])
    }

    @Test("ends the request when the closure that writes returns")
    func halfClose() async throws {
        let server = try Server()
        let channel = try Channel(server.loopback.target, credentials: .insecure)
        let count = try await channel.bidirectional(Self.echo) { requests in
            for index in 0..<3 { try await requests.write(.init(name: "\(index)")) }
        } responses: { responses in
            // The responses end only after the requests have ended.
            var count = 0
            for try await _ in responses { count += 1 }
            return count
        }
        #expect(count == 3)
        #expect(await server.nextEnd == .some(nil))
    }

    @Test("throws the error of the closure that writes, and cancels the call")
    func writerFailure() async throws {
        let server = try Server()
        let channel = try Channel(server.loopback.target, credentials: .insecure)
        let (answered, answer) = AsyncStream.makeStream(of: Void.self)
        await #expect(throws: Enough.self) {
            try await channel.bidirectional(Self.echo) { requests in
                try await requests.write(.init(name: "1"))
                // Once the server has answered, it has received the call.
                for await _ in answered { break }
                throw Enough()
            } responses: { responses in
                for try await _ in responses { answer.yield() }
            }
        }
        #expect(await server.nextEnd??.code == .cancelled)
    }

    @Test("cancels a closure that still writes when the closure that reads returns")
    func readerReturns() async throws {
        let server = try Server()
        let channel = try Channel(server.loopback.target, credentials: .insecure)
        let first = try await channel.bidirectional(Self.echo) { requests in
            while true { try await requests.write(.init(name: "again")) }
        } responses: { responses in
            for try await response in responses { return response.message }
            return ""
        }
        #expect(first == "again")
        #expect(await server.nextEnd??.code == .cancelled)
    }

    @Test("can be made by a client written by hand")
    func serviceClient() async throws {
        let server = try LoopbackServer { $0.addRouteGuide() }
        let client = RouteGuideClient(channel: try Channel(server.target, credentials: .insecure))
        let note = RouteGuide.RouteNote(location: .init(latitude: 1, longitude: 1), message: "hi")
        let count = try await client.bidirectional(RouteGuideClient.routeChat) { notes, answers in
            try await notes.write(note)
            try notes.finish(with: note)
            var count = 0
            for try await _ in answers { count += 1 }
            return count
        }
        #expect(count == 1)
    }
}

private final class Seen {
    private(set) var notes: [Bool] = []
    func note(_ isRight: Bool) { notes.append(isRight) }
}

/// Marks the main queue, which may run on any thread.
private let isMainQueue = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
}()

private func isOnMainQueue() -> Bool { DispatchQueue.getSpecific(key: isMainQueue) == true }
