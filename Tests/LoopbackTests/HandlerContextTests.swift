import Swiftlet
import SwiftletInterceptors
import SwiftletJSONRPC
import SwiftletLoopback
import SwiftletStyles
import Synchronization
import Testing

@Suite("A completion handler", .timeLimit(.minutes(5)))
struct HandlerContextTests {
    private static let sayHello = Method<HelloRequest, HelloReply>(
        "/helloworld.Greeter/SayHello", .unary)
    private static let collect = Method<HelloRequest, HelloReply>(
        "/helloworld.Greeter/Collect", .clientStreaming)

    @Test("is called once, in the context that the call names")
    func context() async throws {
        let server = try LoopbackServer { server in
            server.addGreeter()
            server.clientStreaming(Self.collect) { requests, _ in
                var names = ""
                for try await request in requests { names += request.name }
                return HelloReply(message: names)
            }
        }
        let noted = Notes()
        let noting = InterceptorFactory("noting") { call in
            noted.add(call.path)
            return nil
        }
        let channel = try server.makeChannel(interceptors: [.all(noting)])
        let entered = Mutex(0)
        let context = SerialContext.on { body in
            entered.withLock { $0 += 1 }
            body()
        }
        let (results, continuation) = AsyncStream.makeStream(of: String?.self)
        try channel.startUnary(Self.sayHello, HelloRequest(name: "you"), context: context) {
            continuation.yield(try? $0.get().message.message)
        }
        for await text in results.prefix(1) { #expect(text == "Hello you") }
        #expect(entered.withLock { $0 } == 1)
        let call = channel.startClientStreaming(Self.collect, context: context) {
            continuation.yield(try? $0.get().message.message)
        }
        try call.write(HelloRequest(name: "a"))
        try call.write(HelloRequest(name: "b"))
        call.finish()
        for await text in results.prefix(1) { #expect(text == "ab") }
        #expect(noted.all == [Self.sayHello.path, Self.collect.path])
    }

    @Test(
        "of a plain HTTP request is called in the context that the request names, also for an error"
    )
    func plainRequest() async throws {
        let server = try LoopbackServer { server in
            server.http("/a") { _ in HTTPReply(contentType: "text/plain", body: [1, 2]) }
        }
        let entered = Mutex(0)
        let context = SerialContext.on { body in
            entered.withLock { $0 += 1 }
            body()
        }
        let channel = try server.makeChannel()
        let (results, continuation) = AsyncStream.makeStream(of: [UInt8]?.self)
        try channel.startRequest(.get, "/a", context: context) {
            continuation.yield(try? $0.get().body)
        }
        for await body in results.prefix(1) { #expect(body == [1, 2]) }
        #expect(entered.withLock { $0 } == 1)
        await channel.close()
        try channel.startRequest(.get, "/a", context: context) {
            continuation.yield(try? $0.get().body)
        }
        for await body in results.prefix(1) { #expect(body == nil) }
        #expect(entered.withLock { $0 } == 2)
    }
}
