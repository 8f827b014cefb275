// What the snippets of the documentation speak of without saying where it comes from.
import Swiftlet
import SwiftletLoopback

struct Greeter: ServiceClient {
    static let serviceName = "helloworld.Greeter"
    let channel: Channel

    func sayHello(
        _ request: HelloRequest, _ options: CallOptions = .init()
    ) async throws(RPCError) -> HelloReply {
        try await unary("SayHello", request, options)
    }
}

struct Guide: ServiceClient {
    static let serviceName = "routeguide.RouteGuide"
    let channel: Channel

    func listFeatures(
        _ area: RouteGuide.Rectangle
    ) async throws(RPCError) -> ResponseStream<RouteGuide.Feature> {
        try await serverStreaming("ListFeatures", area)
    }

    nonisolated(nonsending) func recordRoute(
        _ produce: nonisolated(nonsending) (RequestWriter<RouteGuide.Point>) async throws -> Void
    ) async throws -> RouteGuide.RouteSummary {
        try await clientStreaming("RecordRoute", .init(), produce)
    }

    func routeChat() async throws(RPCError) -> Conversation<
        RouteGuide.RouteNote, RouteGuide.RouteNote
    > {
        try await bidirectional("RouteChat")
    }
}

struct Accounts: Sendable {
    func signIn() async throws -> (accessToken: String, name: String) { ("token", "me") }
}

let sayHello = Method<HelloRequest, HelloReply>("/helloworld.Greeter/SayHello", .unary)
let request = HelloRequest(name: "you")
let names = ["a", "b"]
let (point, area, points, note) = (
    RouteGuide.Point(), RouteGuide.Rectangle(), [RouteGuide.Point()], RouteGuide.RouteNote()
)
let accounts = Accounts()
let stamp = InterceptorFactory.headers(["x-stamp": "1"])
var channel: Channel { get throws { try Channel("localhost:50051") } }
