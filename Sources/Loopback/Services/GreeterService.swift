import SwiftletCore
import SwiftletMessages

extension ServerMethods {
    /// `helloworld.Greeter`: greets by name, once, several times, or everybody whom it is told of.
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
