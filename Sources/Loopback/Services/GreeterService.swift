import SwiftletCore
import SwiftletMessages

extension ServerMethods {
    /// `helloworld.Greeter`: greets by name.
    public mutating func addGreeter() {
        let sayHello = Method<HelloRequest, HelloReply>(
            bundled: "/helloworld.Greeter/SayHello", .unary)
        unary(sayHello) { request, _ in HelloReply(message: "Hello \(request.name)") }
    }
}
