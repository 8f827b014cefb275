import Swiftlet
import SwiftletLoopback

/// The route guide by method names alone, as somebody writes it who has no `.proto` at hand.
struct RouteGuideClient: ServiceClient {
    static let serviceName = "routeguide.RouteGuide"
    let channel: Channel

    func listFeatures(
        _ area: RouteGuide.Rectangle
    ) async throws(RPCError) -> ResponseStream<RouteGuide.Feature> {
        try await serverStreaming("ListFeatures", area)
    }

    func recordRoute(
        _ options: CallOptions = .init(),
        _ produce: (RequestWriter<RouteGuide.Point>) async throws -> Void
    ) async throws -> RouteGuide.RouteSummary {
        try await clientStreaming("RecordRoute", options, produce)
    }

    func routeChat() async throws(RPCError) -> Conversation<
        RouteGuide.RouteNote, RouteGuide.RouteNote
    > {
        try await bidirectional("RouteChat")
    }
}
