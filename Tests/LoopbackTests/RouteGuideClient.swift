import Swiftlet
import SwiftletLoopback

/// The client of the route guide, written by hand.
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
