// Declarations that the snippets of the documentation use but do not contain.
import Swiftlet
import SwiftletLoopback
import Synchronization

struct Greeter: ServiceClient {
    static let sayHello = Method<HelloRequest, HelloReply>("/helloworld.Greeter/SayHello", .unary)
    let channel: Channel

    func sayHello(
        _ request: HelloRequest, options: CallOptions = .init()
    ) async throws(RPCError) -> HelloReply {
        try await unary(Self.sayHello, request, options: options)
    }
}

struct Guide: ServiceClient {
    static let getFeature = Method<RouteGuide.Point, RouteGuide.Feature>(
        "/routeguide.RouteGuide/GetFeature", .unary)
    static let listFeatures = Method<RouteGuide.Rectangle, RouteGuide.Feature>(
        "/routeguide.RouteGuide/ListFeatures", .serverStreaming)
    static let recordRoute = Method<RouteGuide.Point, RouteGuide.RouteSummary>(
        "/routeguide.RouteGuide/RecordRoute", .clientStreaming)
    static let routeChat = Method<RouteGuide.RouteNote, RouteGuide.RouteNote>(
        "/routeguide.RouteGuide/RouteChat", .bidirectional)

    let channel: Channel

    var recordRoute: ClientStreamingMethod<RouteGuide.Point, RouteGuide.RouteSummary> {
        ClientStreamingMethod(self, Self.recordRoute)
    }

    func getFeature(_ point: RouteGuide.Point) async throws(RPCError) -> RouteGuide.Feature {
        try await unary(Self.getFeature, point)
    }

    func listFeatures(
        _ area: RouteGuide.Rectangle
    ) async throws(RPCError) -> ResponseStream<RouteGuide.Feature> {
        try await serverStreaming(Self.listFeatures, area)
    }

    func routeChat() async throws(RPCError) -> Conversation<
        RouteGuide.RouteNote, RouteGuide.RouteNote
    > {
        try await bidirectional(Self.routeChat)
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
var channel: Channel { get throws { try Channel("localhost:50051", credentials: .insecure) } }
