import Foundation
import Swiftlet
import SwiftletFoundation
import SwiftletInterceptors
import SwiftletLoopback
import SwiftletStyles
import Synchronization
import Testing

@Suite("The progress of a call", .timeLimit(.minutes(5)))
struct ProgressTests {
    private static let upload = Method<Data, Data>(
        "/test.Files/Upload", .clientStreaming, request: .data, reply: .data)
    private static let download = Method<Data, Data>(
        "/test.Files/Download", .serverStreaming, request: .data, reply: .data)
    private static let exchange = Method<Data, Data>(
        "/test.Files/Exchange", .unary, request: .data, reply: .data)
    private static let chat = Method<Data, Data>(
        "/test.Files/Chat", .bidirectional, request: .data, reply: .data)

    private static let chunk = Data(repeating: 7, count: 1_000)

    private static func makeChannel(_ faults: [Fault] = []) throws -> Channel {
        try LoopbackServer { server in
            server.clientStreaming(upload) { requests, _ in
                for try await _ in requests {}
                return Data()
            }
            server.serverStreaming(download) { request, replies, _ in
                for _ in 0..<(request.first ?? 0) { try await replies.write(chunk) }
            }
            server.unary(exchange) { request, _ in request + request }
            server.bidirectional(chat) { requests, replies, _ in
                for try await request in requests { try await replies.write(request) }
            }
            server.faults = faults
        }.makeChannel()
    }

    private static func options(_ interceptors: InterceptorFactory...) -> CallOptions {
        .with { $0.interceptors = interceptors }
    }

    // MARK: - Uploads

    @Test("counts the bytes of an upload, and is complete at its end")
    func upload() async throws {
        let progress = Progress(totalUnitCount: 4_000)
        var counts: [Int64] = []
        _ = try await Self.makeChannel().clientStreaming(
            Self.upload, options: Self.options(.uploadProgress(progress))
        ) { requests in
            for _ in 0..<4 {
                try await requests.write(Self.chunk)
                counts.append(progress.completedUnitCount)
            }
        }
        #expect(counts == [1_000, 2_000, 3_000, 4_000])
        #expect(progress.isFinished)
        #expect(progress.fractionCompleted == 1)
        #expect(progress.cancellationHandler == nil)
    }

    @Test("is indeterminate while the total is unknown, and has the true one at the end")
    func unknownTotal() async throws {
        for total in [-1, 0] as [Int64] {
            let progress = Progress(totalUnitCount: total)
            _ = try await Self.makeChannel().clientStreaming(
                Self.upload, options: Self.options(.uploadProgress(progress, counting: .messages))
            ) { requests in
                for _ in 0..<3 { try await requests.write(Self.chunk) }
                #expect(progress.isIndeterminate)
                #expect(progress.completedUnitCount == 3)
            }
            #expect(progress.totalUnitCount == 3)
            #expect(progress.isFinished)
        }
    }

    @Test("is complete after a call without messages")
    func empty() async throws {
        let progress = Progress(totalUnitCount: -1)
        _ = try await Self.makeChannel().clientStreaming(
            Self.upload, options: Self.options(.uploadProgress(progress))
        ) { _ in }
        #expect(progress.isFinished)
    }

    @Test(
        "never exceeds its total, and reaches it at the end", arguments: [2, 1_000] as [Int64])
    func wrongTotal(_ total: Int64) async throws {
        let parent = Progress(totalUnitCount: 10)
        let progress = Progress(totalUnitCount: total, parent: parent, pendingUnitCount: 10)
        _ = try await Self.makeChannel().clientStreaming(
            Self.upload, options: Self.options(.uploadProgress(progress, counting: .messages))
        ) { requests in
            for _ in 0..<5 {
                try await requests.write(Self.chunk)
                #expect(progress.completedUnitCount <= total)
            }
        }
        #expect(progress.completedUnitCount == total)
        #expect(parent.completedUnitCount == 10)
        #expect(parent.isFinished)
    }

    @Test("stays as it is if the call fails")
    func failure() async throws {
        let channel = try Self.makeChannel([.on(Self.upload.path, .status(.unavailable, "full"))])
        let progress = Progress(totalUnitCount: 4_000)
        await #expect(throws: RPCError.self) {
            try await channel.clientStreaming(
                Self.upload, options: Self.options(.uploadProgress(progress))
            ) { requests in try await requests.write(Self.chunk) }
        }
        #expect(progress.completedUnitCount <= 1_000)
        #expect(!progress.isFinished)
        #expect(!progress.isCancelled)
        #expect(progress.cancellationHandler == nil)
    }

    // MARK: - Downloads

    @Test("counts a download message by message")
    func download() async throws {
        let progress = RecordingProgress(totalUnitCount: 5)
        for try await _ in try await Self.makeChannel().serverStreaming(
            Self.download, Data([5]),
            options: Self.options(.downloadProgress(progress, counting: .messages)))
        {}
        #expect(progress.counts.withLock(\.self) == [0, 1, 2, 3, 4, 5, 5])
        #expect(progress.isFinished)
    }

    /// Remembers each update.
    private final class RecordingProgress: Progress, @unchecked Sendable {
        let counts = Mutex<[Int64]>([])
        override var completedUnitCount: Int64 {
            didSet { counts.withLock { $0.append(completedUnitCount) } }
        }
    }

    @Test("has a part for each direction of a call")
    func bothDirections() async throws {
        let queue = DispatchQueue(label: "progress")
        let context = SerialContext.on { queue.async(execute: $0) }
        let progress = Progress(totalUnitCount: 100)
        let up = Progress(totalUnitCount: 3, parent: progress, pendingUnitCount: 50)
        let down = Progress(totalUnitCount: -1, parent: progress, pendingUnitCount: 50)
        let chat = try await Self.makeChannel().bidirectional(
            Self.chat,
            options: Self.options(
                .uploadProgress(up, counting: .messages, context: context),
                .downloadProgress(down, context: context)))
        for _ in 0..<3 { try await chat.requests.write(Self.chunk) }
        chat.requests.finish()
        for try await _ in chat.responses {}
        #expect(up.isFinished)
        #expect(down.completedUnitCount == 3_000)
        #expect(progress.isFinished)
    }

    // MARK: - Calls with one message, in other styles

    @Test("counts the whole message of a unary call, in each style")
    func unary() async throws {
        let channel = try Self.makeChannel()
        let request = Data(repeating: 1, count: 500_000)
        for style in 0..<3 {
            let up = Progress(totalUnitCount: 500_000)
            let down = Progress(totalUnitCount: -1)
            let options = Self.options(.uploadProgress(up), .downloadProgress(down))
            switch style {
            case 0: _ = try await channel.unary(Self.exchange, request, options: options)
            case 1:
                _ = try await withCheckedThrowingContinuation { continuation in
                    do {
                        _ = try channel.startUnary(Self.exchange, request, options: options) {
                            continuation.resume(with: $0)
                        }
                    } catch { continuation.resume(throwing: error) }
                }
            default:
                _ = try await Task.detached {
                    try channel.blockingUnary(Self.exchange, request, options: options)
                }.value
            }
            #expect(up.isFinished)
            #expect(down.completedUnitCount == 1_000_000)
            #expect(down.totalUnitCount == 1_000_000)
        }
    }

    /// A server that echoes each request but the first.
    private static func server(failingOnceWith code: StatusCode) throws -> LoopbackServer {
        try LoopbackServer { server in
            server.unary(exchange) { request, _ in request }
            server.faults = [.on(exchange.path, call: 1, .status(code))]
        }
    }

    @Test("counts once what is repeated")
    func retry() async throws {
        let server = try Self.server(failingOnceWith: .unavailable)
        var arguments = ChannelArguments()
        arguments.serviceConfig = ServiceConfig()
        arguments.serviceConfig?.methods = [
            MethodConfig([.all]) {
                $0.retry = RetryPolicy(maxAttempts: 3, retryableCodes: [.unavailable])
            }
        ]
        let channel = try server.makeChannel(arguments: arguments)
        let progress = Progress(totalUnitCount: -1)
        _ = try await channel.unary(
            Self.exchange, Self.chunk, options: Self.options(.uploadProgress(progress)))
        #expect(progress.totalUnitCount == 1_000)
    }

    @Test("begins again if an interceptor repeats the call")
    func restart() async throws {
        let server = try Self.server(failingOnceWith: .unauthenticated)
        let again = InterceptorFactory("again") { _ in Again() }
        let channel = try server.makeChannel(interceptors: [.all(again)])
        let progress = Progress(totalUnitCount: -1)
        _ = try await channel.unary(
            Self.exchange, Self.chunk, options: Self.options(.uploadProgress(progress)))
        #expect(progress.totalUnitCount == 1_000)
        #expect(progress.isFinished)
        #expect(progress.cancellationHandler == nil)
    }

    /// Sends a unary call again if it fails.
    private final class Again: Interceptor {
        private var options = CallOptions()
        private var request: RawMessage?

        func start(_ options: CallOptions, _ call: InterceptedCall) {
            self.options = options
            call.start(options)
        }

        func write(_ message: RawMessage, _ call: InterceptedCall) {
            request = message
            call.write(message)
        }

        func close(_ end: CallEnd, _ call: InterceptedCall) {
            guard end.error != nil, let message = request.take() else { return call.close(end) }
            call.restart()
            call.start(options)
            call.write(message)
            call.finish()
            call.receiveNext()
            call.receiveNext()
        }
    }

    // MARK: - Cancellation

    @Test("ends the call when it is cancelled, after its own handler was called")
    func cancel() async throws {
        let channel = try Self.makeChannel()
        let parent = Progress(totalUnitCount: 1)
        let progress = Progress(totalUnitCount: 3_000, parent: parent, pendingUnitCount: 1)
        let (handled, continuation) = AsyncStream.makeStream(of: Void.self)
        progress.cancellationHandler = { continuation.finish() }
        let chat = try await channel.bidirectional(
            Self.chat, options: Self.options(.downloadProgress(progress)))
        try await chat.requests.write(Self.chunk)
        var responses = chat.responses.makeAsyncIterator()
        #expect(try await responses.next() == Self.chunk)

        parent.cancel()
        for await _ in handled {}
        let error = await #expect(throws: RPCError.self) { try await responses.next() }
        #expect(error?.code == .cancelled)
        #expect(error?.message == "the progress of the call was cancelled")
        #expect(progress.isCancelled)
        #expect(!progress.isFinished)
        #expect(progress.completedUnitCount == 1_000)
    }

    @Test("that was cancelled lets no call start")
    func cancelledBefore() async throws {
        let channel = try Self.makeChannel()
        let progress = Progress(totalUnitCount: 1)
        progress.cancel()
        for interceptor in [
            InterceptorFactory.uploadProgress(progress), .downloadProgress(progress),
        ] {
            let error = await #expect(throws: RPCError.self) {
                try await channel.unary(
                    Self.exchange, Self.chunk, options: Self.options(interceptor))
            }
            #expect(error?.code == .cancelled)
        }
        #expect(channel.snapshot?.calls.started == 0)
    }

    @Test("is not cancelled with its call")
    func cancelledCall() async throws {
        let channel = try Self.makeChannel()
        let progress = Progress(totalUnitCount: 3_000)
        let chat = try await channel.bidirectional(
            Self.chat, options: Self.options(.uploadProgress(progress)))
        try await chat.requests.write(Self.chunk)
        chat.cancel()
        await #expect(throws: RPCError.self) { for try await _ in chat.responses {} }
        #expect(!progress.isCancelled)
        #expect(!progress.isFinished)
        #expect(progress.completedUnitCount == 1_000)
    }

    @Test("is updated in the context that the program chooses")
    func context() async throws {
        let count = Atomic(0)
        let context = SerialContext.on { work in
            count.add(1, ordering: .relaxed)
            work()
        }
        let progress = Progress(totalUnitCount: 5_000)
        for try await _ in try await Self.makeChannel().serverStreaming(
            Self.download, Data([5]),
            options: Self.options(.downloadProgress(progress, context: context)))
        {}
        #expect(progress.isFinished)
        #expect(count.load(ordering: .relaxed) >= 7)
    }
}
