import Swiftlet

/// The client of `Protos/helloworld.proto`.
struct Greeter: ServiceClient {
    static let serviceName = "helloworld.Greeter"
    let channel: Channel

    func sayHello(_ request: HelloRequest) async throws(RPCError) -> HelloReply {
        try await unary("SayHello", request)
    }
}

/// The client of `Protos/routeguide.proto`.
struct RouteGuideClient: ServiceClient {
    static let serviceName = "routeguide.RouteGuide"
    let channel: Channel

    func getFeature(_ point: RouteGuide.Point) async throws(RPCError) -> RouteGuide.Feature {
        try await unary("GetFeature", point)
    }

    func listFeatures(
        _ rectangle: RouteGuide.Rectangle
    ) async throws(RPCError) -> ResponseStream<RouteGuide.Feature> {
        try await serverStreaming("ListFeatures", rectangle)
    }

    // Written out, although this package has it as the default: in another one, whoever is on an
    // actor could not call it otherwise.
    nonisolated(nonsending) func recordRoute(
        _ write: nonisolated(nonsending) (RequestWriter<RouteGuide.Point>) async throws -> Void
    ) async throws -> RouteGuide.RouteSummary {
        try await clientStreaming("RecordRoute", .init(), write)
    }

    func routeChat() async throws(RPCError)
        -> Conversation<RouteGuide.RouteNote, RouteGuide.RouteNote>
    {
        try await bidirectional("RouteChat")
    }
}

extension RouteGuide.Point {
    /// Degrees, for people.
    var text: String { "\(Double(latitude) / 1e7), \(Double(longitude) / 1e7)" }
}
