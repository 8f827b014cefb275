import SwiftletInterceptors
import SwiftletLoopback
import SwiftletStyles
import Synchronization
import Testing

@testable import Swiftlet
@testable import SwiftletCore

/// A program may keep the object of a call that has ended, for example in a view. That object must not keep
/// what the program's handlers and interceptors have captured, and not the channel.
@Suite("The kept object of a call that has ended", .timeLimit(.minutes(5)))
struct EndedCallReleaseTests {
    enum Face: CaseIterable {
        case unaryHandler, serverHandlers, clientHandlers, bidirectionalHandlers
        case unaryFuture, serverFuture, clientFuture, bidirectionalFuture
        case blocking, responses, writers, raw
    }

    /// The layers that a call passes.
    enum Layers: CaseIterable { case none, interceptor, storing, retries, both, storingAndRetries }

    /// Captured by handlers and interceptors.
    private final class Captured: Sendable {
        func touch() {}
    }

    private final class Forwarding: Interceptor {
        let captured: Captured
        init(_ captured: Captured) { self.captured = captured }
    }

    /// Stores its own call, so that each of the two refers to the other.
    private final class Storing: Interceptor {
        let captured: Captured
        private var own: InterceptedCall?
        init(_ captured: Captured) { self.captured = captured }

        func start(_ options: CallOptions, _ call: InterceptedCall) {
            own = call
            call.start(options)
        }
    }

    private static let unary = Method<[UInt8], [UInt8]>(
        "/t.Release/Unary", .unary, request: .bytes, reply: .bytes)
    private static let server = Method<[UInt8], [UInt8]>(
        "/t.Release/Server", .serverStreaming, request: .bytes, reply: .bytes)
    private static let client = Method<[UInt8], [UInt8]>(
        "/t.Release/Client", .clientStreaming, request: .bytes, reply: .bytes)
    private static let both = Method<[UInt8], [UInt8]>(
        "/t.Release/Both", .bidirectional, request: .bytes, reply: .bytes)

    private static func makeServer() throws -> LoopbackServer {
        try LoopbackServer { registry in
            registry.unary(unary) { request, _ in request }
            registry.serverStreaming(server) { request, writer, _ in
                try await writer.write(request)
            }
            registry.clientStreaming(client) { requests, _ in
                for try await _ in requests {}
                return [1]
            }
            registry.bidirectional(both) { requests, writer, _ in
                for try await request in requests { try await writer.write(request) }
            }
        }
    }

    private static func arguments(_ layers: Layers) -> ChannelArguments {
        var arguments = ChannelArguments()
        guard [.retries, .both, .storingAndRetries].contains(layers) else { return arguments }
        var config = ServiceConfig()
        config.methods = [
            MethodConfig([.all]) {
                $0.retry = RetryPolicy(maxAttempts: 2, retryableCodes: [.unavailable])
            }
        ]
        arguments.serviceConfig = config
        return arguments
    }

    /// Makes a call, and returns its object after its end.
    private func endedCall(
        _ face: Face, _ channel: Channel, _ options: CallOptions, _ captured: Captured
    ) async throws -> any Sendable {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        var handlers = ResponseHandlers<[UInt8]>(
            message: { _ in captured.touch() },
            end: { _ in
                captured.touch()
                end.finish()
            })
        handlers.initialMetadata = { _ in captured.touch() }
        let call: any Sendable
        switch face {
        case .unaryHandler:
            call = try channel.startUnary(Self.unary, [1], options: options) { _ in
                captured.touch()
                end.finish()
            }
        case .serverHandlers:
            call = try channel.startServerStreaming(
                Self.server, [1], options: options, handlers: handlers)
        case .clientHandlers:
            let writing = channel.startClientStreaming(Self.client, options: options) { _ in
                captured.touch()
                end.finish()
            }
            try writing.write([1]) { _ in captured.touch() }
            writing.finish()
            call = writing
        case .bidirectionalHandlers:
            let writing = channel.startBidirectional(
                Self.both, options: options, handlers: handlers)
            try writing.write([1]) { _ in captured.touch() }
            writing.finish()
            call = writing
        case .unaryFuture:
            let made = channel.unaryCall(Self.unary, [1], options: options)
            made.response.whenComplete { _ in captured.touch() }
            made.status.whenComplete { _ in end.finish() }
            call = made
        case .serverFuture:
            let made = channel.serverStreamingCall(Self.server, [1], options: options) { _ in
                captured.touch()
            }
            made.status.whenComplete { _ in end.finish() }
            call = made
        case .clientFuture:
            let made = channel.clientStreamingCall(Self.client, options: options)
            made.sendMessage([1]).whenComplete { _ in captured.touch() }
            made.sendEnd()
            made.status.whenComplete { _ in end.finish() }
            call = made
        case .bidirectionalFuture:
            let made = channel.bidirectionalCall(Self.both, options: options) { _ in
                captured.touch()
            }
            made.sendMessage([1])
            made.sendEnd()
            made.status.whenComplete { _ in end.finish() }
            call = made
        case .blocking:
            let made = channel.blockingBidirectional(Self.both, options: options)
            try await onThread {
                try made.write([1])
                made.finish()
                while try made.next() != nil {}
                end.finish()
            }
            call = made
        case .responses:
            let made = try await channel.serverStreaming(Self.server, [1], options: options)
            for try await _ in made {}
            end.finish()
            call = made
        case .writers:
            let made = Call(
                channel, Self.both, requests: SequenceWriter([[1]] as [[UInt8]]), options: options)
            try made.start(
                with: HandlerWriteable(
                    value: { _ in captured.touch() },
                    completion: { _ in
                        captured.touch()
                        end.finish()
                    }))
            call = made
        case .raw:
            let made = try channel.rawCall("/t.Release/Unary", options: options)
            try made.start([
                .sendInitialMetadata([:]), .sendMessage([1]), .sendClose(),
                .receiveMessage { _ in captured.touch() },
                .receiveStatus { _, _ in captured.touch() },
            ]) { _ in
                captured.touch()
                end.finish()
            }
            call = made
        }
        for await _ in ends {}
        return call
    }

    @Test(
        "keeps neither its handlers, nor its interceptors, nor its channel",
        arguments: Face.allCases,
        Layers.allCases)
    func released(face: Face, layers: Layers) async throws {
        let server = try Self.makeServer()
        weak var weakCaptured: Captured?
        weak var weakChannel: Channel?
        let call: any Sendable
        do {
            let captured = Captured()
            weakCaptured = captured
            var options = CallOptions()
            switch layers {
            case .none, .retries: break
            case .interceptor, .both:
                options.interceptors = [
                    InterceptorFactory("forwarding") { _ in Forwarding(captured) }
                ]
            case .storing, .storingAndRetries:
                options.interceptors = [
                    InterceptorFactory("storing") { _ in Storing(captured) }
                ]
            }
            let channel = try server.makeChannel(arguments: Self.arguments(layers))
            weakChannel = channel
            call = try await endedCall(face, channel, options, captured)
        }
        // A thread may still be on its way out of the last handler.
        try await eventually { weakCaptured == nil && weakChannel == nil }
        withExtendedLifetime(call) {}
    }
}
