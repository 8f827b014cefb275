import Swiftlet
import SwiftletInterceptors
import SwiftletLoopback
import SwiftletStyles
import Synchronization
import Testing

@Suite("Calls without tasks", .timeLimit(.minutes(5)))
struct FaceTests {
    let server: LoopbackServer
    static let area = RouteGuide.Rectangle.with {
        $0.lo = RouteGuide.Point(latitude: 400_000_000, longitude: -750_000_000)
        $0.hi = RouteGuide.Point(latitude: 420_000_000, longitude: -730_000_000)
    }
    static let listFeatures = Method<RouteGuide.Rectangle, RouteGuide.Feature>(
        "/routeguide.RouteGuide/ListFeatures", .serverStreaming)
    static let recordRoute = Method<RouteGuide.Point, RouteGuide.RouteSummary>(
        "/routeguide.RouteGuide/RecordRoute", .clientStreaming)
    static let routeChat = Method<RouteGuide.RouteNote, RouteGuide.RouteNote>(
        "/routeguide.RouteGuide/RouteChat", .bidirectional)

    init() throws {
        server = try LoopbackServer {
            $0.addGreeter()
            $0.addRouteGuide()
        }
    }

    static let modes: [CompletionQueue.Mode] = [.ownThread, .byHand]

    @Test("block the calling thread, in all shapes", arguments: modes)
    func blocking(mode: CompletionQueue.Mode) async throws {
        try await onThread {
            let queue = try CompletionQueue(mode)
            let channel = try Channel(server.target, credentials: .insecure, queue: queue)

            let hello = try channel.blockingUnary(
                Method<HelloRequest, HelloReply>("/helloworld.Greeter/SayHello", .unary),
                HelloRequest(name: "you"))
            #expect(hello.message.message == "Hello you")

            let features = try channel.blockingServerStreaming(Self.listFeatures, Self.area)
            var names: [String] = []
            while let feature = try features.next() { names.append(feature.name) }
            #expect(names.count == 4)
            #expect(features.trailingMetadata != nil)

            let summary = try channel.blockingClientStreaming(Self.recordRoute) { route in
                for _ in 0..<100 { try route.write(.init()) }
            }
            #expect(summary.pointCount == 100)

            let chat = channel.blockingBidirectional(Self.routeChat)
            var note = RouteGuide.RouteNote()
            for index in 0..<3 {
                note.message = "note \(index)"
                try chat.write(note)
            }
            chat.finish()
            var answers: [String] = []
            while let answer = try chat.next() { answers.append(answer.message) }
            #expect(answers == ["note 0", "note 0", "note 1"])
            queue.shutdown()
        }
    }

    @Test("that block end at their deadline")
    func blockingDeadline() async throws {
        try await onThread {
            let queue = try CompletionQueue(.byHand)
            let channel = try Channel(server.target, credentials: .insecure, queue: queue)
            let chat = channel.blockingBidirectional(
                Self.routeChat, options: .with { $0.timeout = .milliseconds(20) })
            let error = #expect(throws: RPCError.self) { try chat.next() }
            #expect(error?.code == .deadlineExceeded)
        }
    }

    @Test("call handlers, in all shapes")
    func handlers() async throws {
        let channel = try Channel(server.target, credentials: .insecure)
        let features = Mutex(0)
        let listed = try await withCheckedThrowingContinuation { continuation in
            do {
                try channel.startServerStreaming(
                    Self.listFeatures, Self.area,
                    handlers: ResponseHandlers(
                        message: { _ in features.withLock { $0 += 1 } },
                        end: { continuation.resume(returning: $0) }))
            } catch {
                continuation.resume(throwing: error)
            }
        }
        _ = try listed.get()
        #expect(features.withLock { $0 } == 4)

        let summary = try await withCheckedThrowingContinuation {
            (
                continuation: CheckedContinuation<
                    Result<RouteGuide.RouteSummary, RPCError>, any Error
                >
            )
            in
            do {
                let route = channel.startClientStreaming(Self.recordRoute) {
                    continuation.resume(returning: $0.map(\.message))
                }
                for _ in 0..<100 { try route.write(.init()) }
                route.finish()
            } catch {
                continuation.resume(throwing: error)
            }
        }
        #expect(try summary.get().pointCount == 100)
    }

    /// Answers at the end of the request, although no message was requested.
    private final class Answering: Interceptor {
        func start(_ options: CallOptions, _ call: InterceptedCall) {}
        func write(_ message: RawMessage, _ call: InterceptedCall) { call.deliverWriteDone() }
        func receiveNext(_ call: InterceptedCall) {}

        func finish(_ call: InterceptedCall) {
            call.deliver(initialMetadata: Metadata())
            call.deliver(RawMessage([42]))
            call.close(CallEnd(error: nil))
        }
    }

    @Test("deliver a response that an interceptor made before one was requested")
    func unasked() async throws {
        try await onThread {
            let queue = try CompletionQueue(.byHand)
            let channel = try Channel(
                server.target, credentials: .insecure,
                interceptors: [.all(InterceptorFactory("answering") { _ in Answering() })],
                queue: queue)
            let call = try channel.rawCall("/helloworld.Greeter/SayHello")
            try call.start(
                [.sendInitialMetadata([:]), .sendMessage([1]), .sendClose()], tag: 1)
            #expect(try queue.next() == .completed(tag: 1, success: true))
            let received = Mutex<[UInt8]?>(nil)
            try call.start(
                [
                    .receiveMessage { message in received.withLock { $0 = message } },
                    .receiveStatus { _, _ in },
                ], tag: 2)
            #expect(try queue.next() == .completed(tag: 2, success: true))
            #expect(received.withLock { $0 } == [42])
        }
    }

    @Test("that are released before they open a stream end with CANCELLED")
    func neverStarted() async throws {
        try await onThread {
            let queue = try CompletionQueue(.byHand)
            let channel = try Channel(server.target, credentials: .insecure, queue: queue)
            let statuses = Mutex<[StatusCode]>([])
            do {
                let call = try channel.rawCall("/helloworld.Greeter/SayHello")
                try call.start(
                    [.receiveStatus { status, _ in statuses.withLock { $0.append(status.code) } }],
                    tag: 1)
            }
            queue.shutdown()
            #expect(try queue.next() == .completed(tag: 1, success: true))
            #expect(statuses.withLock { $0 } == [.cancelled])
            #expect(try queue.next() == .shutdown)
        }
    }

    @Test("with handlers, when they are paused, request no more messages")
    func pausing() async throws {
        let channel = try Channel(server.target, credentials: .insecure)
        let (answers, continuation) = AsyncStream.makeStream(of: String.self)
        let chat = channel.startBidirectional(
            Self.routeChat,
            handlers: ResponseHandlers(
                message: { continuation.yield($0.message) },
                end: { _ in continuation.finish() }))
        chat.pause()
        var note = RouteGuide.RouteNote()
        for index in 0..<3 {
            note.message = "note \(index)"
            try chat.write(note)
        }
        chat.finish()
        chat.resume()
        var all: [String] = []
        for await answer in answers { all.append(answer) }
        #expect(all == ["note 0", "note 0", "note 1"])
    }
}
