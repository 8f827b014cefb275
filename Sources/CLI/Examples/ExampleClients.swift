import Swiftlet
import SwiftletServices

/// The client of `Protos/helloworld.proto`.
struct Greeter: ServiceClient {
    static let sayHello = Method<HelloRequest, HelloReply>("/helloworld.Greeter/SayHello", .unary)
    let channel: Channel

    func sayHello(_ request: HelloRequest) async throws(RPCError) -> HelloReply {
        try await unary(Self.sayHello, request)
    }
}

/// The client of `Protos/routeguide.proto`.
struct RouteGuideClient: ServiceClient {
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

extension RouteGuide.Point {
    /// The location in degrees, as text for readers.
    var text: String { "\(Double(latitude) / 1e7), \(Double(longitude) / 1e7)" }
}
