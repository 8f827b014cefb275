import SwiftletCore
import SwiftletMessages

extension ServerMethods {
    /// Adds `helloworld.Greeter`, which greets by name: a unary, a server-streaming and a bidirectional
    /// method.
    public mutating func addGreeter() {
        let sayHello = Method<HelloRequest, HelloReply>(
            bundled: "/helloworld.Greeter/SayHello", .unary)
        unary(sayHello) { request, _ in HelloReply(message: "Hello \(request.name)") }
        serverStreaming(
            Method<HelloRequest, HelloReply>(
                bundled: "/helloworld.Greeter/SayHelloStreamReply", .serverStreaming)
        ) { request, replies, _ in
            for number in 0..<10 {
                try await replies.write(HelloReply(message: "Hello \(request.name) \(number)"))
            }
        }
        bidirectional(
            Method<HelloRequest, HelloReply>(
                bundled: "/helloworld.Greeter/SayHelloBidiStream", .bidirectional)
        ) { requests, replies, _ in
            for try await request in requests {
                try await replies.write(HelloReply(message: "Hello \(request.name)"))
            }
        }
    }
}
