import Foundation
import Swiftlet
import SwiftletFoundation
import SwiftletLoopback
import Testing

@Suite("An error, to Foundation", .timeLimit(.minutes(5)))
struct ErrorTests {
    private static let sayHello = Method<HelloRequest, HelloReply>(
        "/helloworld.Greeter/SayHello", .unary)

    @Test("has a text for people")
    func localized() {
        var error: any Error = RPCError(.notFound, "no such\u{7} name")
        #expect(error.localizedDescription == "no such  name")
        error = RPCError(.notFound, "")
        #expect(error.localizedDescription == "NOT_FOUND")
        var caused = RPCError(.unavailable, "connect")
        #expect(caused.failureReason == nil)
        caused.causes = ["first", "second\n"]
        #expect(caused.failureReason == "first; second ")
    }

    @Test("has gRPC's domain, codes and keys as an NSError")
    func bridged() async throws {
        let server = try LoopbackServer { server in
            server.unary(Self.sayHello) { _, context in
                context.sendInitialMetadata(["x-head": "h"])
                var trailers: Metadata = ["x-tail": "a"]
                trailers.append("b", for: "x-tail")
                trailers.append(Data([1, 2]), for: "endpoint-load-metrics-bin")
                context.setTrailingMetadata(trailers)
                throw RPCError(.notFound, "no such name")
            }
        }
        let channel = try server.makeChannel()
        let caught = await #expect(throws: RPCError.self) {
            try await channel.unary(Self.sayHello, HelloRequest())
        }
        let thrown: any Error = try #require(caught)
        let error = thrown as NSError
        #expect(error.domain == "io.grpc")
        #expect(error.code == 5)
        #expect(error.localizedDescription == "no such name")
        let headers = try #require(error.userInfo["io.grpc.HeadersKey"] as? [String: Any])
        #expect(headers["x-head"] as? String == "h")
        let trailers = try #require(error.userInfo["io.grpc.TrailersKey"] as? [String: Any])
        #expect(trailers["x-tail"] as? String == "a, b")
        #expect(trailers["endpoint-load-metrics-bin"] as? Data == Data([1, 2]))
        let debug = try #require(error.userInfo["NSDebugDescription"] as? String)
        #expect(debug.hasPrefix("NOT_FOUND: no such name"))
        #expect(debug.hasSuffix("in /helloworld.Greeter/SayHello"))
    }

    @Test("shows no secret of the metadata, wherever it is printed")
    func secrets() throws {
        var failure = RPCError(.unauthenticated, "no")
        failure.initialMetadata = ["set-cookie": "id=s3cret", "x-head": "h"]
        failure.metadata = ["authorization": "Bearer s3cret", "x-tail": "t"]
        failure.metadata.append(Data("s3cret".utf8), for: "x-session-bin")
        let error = failure as NSError
        #expect(!"\(error) \(error.userInfo) \(error.debugDescription)".contains("s3cret"))
        let headers = try #require(error.userInfo[RPCError.headersKey] as? [String: Any])
        let trailers = try #require(error.userInfo[RPCError.trailersKey] as? [String: Any])
        #expect(headers.keys.sorted() == ["x-head"])
        #expect(trailers.keys.sorted() == ["x-tail"])
    }

    @Test("has no headers if the server sent none")
    func withoutHeaders() {
        let info = RPCError(.unavailable, "gone").errorUserInfo
        #expect(info[RPCError.headersKey] == nil)
        #expect((info[RPCError.trailersKey] as? [String: Any])?.isEmpty == true)
        #expect(info[NSLocalizedFailureReasonErrorKey] == nil)
    }
}
