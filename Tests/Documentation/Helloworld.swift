// The part of the plug-in's source for Protos/helloworld.proto that the README uses.
import Swiftlet

enum Helloworld {}

extension Helloworld {
    struct HelloRequest: Message {
        var name = ""
        var unknownFields = UnknownFields()

        init() {}

        init(name: String = "") {
            self.name = name
        }

        static var messageName: String { "helloworld.HelloRequest" }

        static let layout = Layout<Self> { field in
            field.string(1, \.name)
        }
    }

    struct HelloReply: Message {
        var message = ""
        var unknownFields = UnknownFields()

        init() {}

        init(message: String = "") {
            self.message = message
        }

        static var messageName: String { "helloworld.HelloReply" }

        static let layout = Layout<Self> { field in
            field.string(1, \.message)
        }
    }

    /// The methods of `helloworld.Greeter`.
    nonisolated enum GreeterMethods {
        /// Calls `/helloworld.Greeter/SayHello`.
        static let sayHello = Method<HelloRequest, HelloReply>(
            "/helloworld.Greeter/SayHello", .unary)
    }

    /// The client of `helloworld.Greeter`.
    nonisolated struct GreeterClient: ServiceClient {
        let channel: Channel
        let defaultOptions: CallOptions

        init(channel: Channel, defaultOptions: CallOptions = CallOptions()) {
            self.channel = channel
            self.defaultOptions = defaultOptions
        }

        /// Calls `/helloworld.Greeter/SayHello`.
        nonisolated(nonsending) func sayHello(
            _ request: HelloRequest, options: CallOptions = CallOptions()
        ) async throws(RPCError) -> HelloReply {
            try await unary(GreeterMethods.sayHello, request, options: options)
        }
    }
}
