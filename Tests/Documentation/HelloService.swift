// The files that `swiftlet generate --faces futures --fake yes` writes for the service of the snippets.
import Swiftlet
import SwiftletLoopback
import SwiftletStyles

enum Pb {}

extension Pb {
    struct HelloRequest: Message {
        var name = ""
        var unknownFields = UnknownFields()

        init() {}

        init(name: String = "") {
            self.name = name
        }

        static var messageName: String { "pb.HelloRequest" }

        static let layout = Layout<Self> { field in
            field.string(1, \.name)
        }
    }

    struct HelloResponse: Message {
        var hello = ""
        var unknownFields = UnknownFields()

        init() {}

        init(hello: String = "") {
            self.hello = hello
        }

        static var messageName: String { "pb.HelloResponse" }

        static let layout = Layout<Self> { field in
            field.string(1, \.hello)
        }
    }

    /// The methods of `pb.HelloService`.
    nonisolated enum HelloServiceMethods {
        /// Calls `/pb.HelloService/Hello`.
        static let hello = Method<HelloRequest, HelloResponse>("/pb.HelloService/Hello", .unary)
    }

    /// What code needs of a ``HelloServiceClient``. A test passes another implementation.
    nonisolated protocol HelloServiceClientProtocol: Sendable {
        /// Calls `/pb.HelloService/Hello`.
        nonisolated(nonsending) func hello(
            _ request: HelloRequest, options: CallOptions
        ) async throws(RPCError) -> HelloResponse
    }

    /// The client of `pb.HelloService`.
    nonisolated struct HelloServiceClient: HelloServiceClientProtocol, ServiceClient {
        let channel: Channel
        let defaultOptions: CallOptions

        init(channel: Channel, defaultOptions: CallOptions = CallOptions()) {
            self.channel = channel
            self.defaultOptions = defaultOptions
        }

        /// Calls `/pb.HelloService/Hello`.
        nonisolated(nonsending) func hello(
            _ request: HelloRequest, options: CallOptions
        ) async throws(RPCError) -> HelloResponse {
            try await unary(HelloServiceMethods.hello, request, options: options)
        }
    }
}

nonisolated extension Pb.HelloServiceClientProtocol {
    /// Calls `/pb.HelloService/Hello`.
    nonisolated(nonsending) func hello(
        _ request: Pb.HelloRequest
    ) async throws(RPCError) -> Pb.HelloResponse {
        try await hello(request, options: CallOptions())
    }
}

nonisolated extension Pb.HelloServiceClient {
    /// Calls `/pb.HelloService/Hello`.
    func helloCall(
        _ request: Pb.HelloRequest, options: CallOptions = CallOptions()
    ) -> UnaryCall<Pb.HelloRequest, Pb.HelloResponse> {
        channel.unaryCall(Pb.HelloServiceMethods.hello, request, options: withDefaults(options))
    }
}

extension Pb {
    /// A fake of `pb.HelloService`: a test queues the responses, and calls receive them.
    nonisolated struct FakeHelloService: Sendable {
        /// The fake channel, for responses of other services.
        let fake: FakeChannel

        /// The channel for the code under test.
        var channel: Channel { fake.channel }

        /// A client for the code under test.
        var client: HelloServiceClient { HelloServiceClient(channel: channel) }

        /// Throws when the system has no resources for a queue.
        init() throws(RPCError) { fake = try FakeChannel() }

        /// Queues a response for the next call of `Hello`.
        func hello() -> FakeResponse<HelloRequest, HelloResponse> {
            fake.respond(to: HelloServiceMethods.hello)
        }
    }
}
