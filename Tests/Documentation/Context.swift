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

/// The part of swift-metrics that a sink uses.
enum Metrics {
    struct Counter {
        init(label: String, dimensions: [(String, String)]) {}
        func increment(by amount: Int) {}
    }
    struct Meter {
        init(label: String, dimensions: [(String, String)]) {}
        func increment(by amount: Double) {}
    }
    struct Recorder {
        init(label: String, dimensions: [(String, String)]) {}
        func record(_ value: Double) {}
    }
}

/// The part of swift-distributed-tracing that a tracer uses.
enum Tracing {
    struct Context: Sendable {}
    enum SpanKind { case client }
    struct SpanStatus {
        enum Code { case error }
        init(code: Code, message: String?) {}
    }
    struct SpanEvent {
        init(name: String, attributes: SpanAttributes) {}
    }
    struct SpanAttributes: ExpressibleByDictionaryLiteral, Sendable {
        init(dictionaryLiteral elements: (String, String)...) {}
        mutating func merge(_ other: SpanAttributes) {}
        subscript(name: String) -> String? {
            get { nil }
            set {}
        }
        subscript(name: String) -> Int? {
            get { nil }
            set {}
        }
        subscript(name: String) -> Bool? {
            get { nil }
            set {}
        }
    }
    protocol Span: Sendable {
        var context: Context { get }
        func updateAttributes(_ update: (inout SpanAttributes) -> Void)
        func addEvent(_ event: SpanEvent)
        func setStatus(_ status: SpanStatus)
        func recordError(_ error: any Error)
        func end()
    }
    private struct EmptySpan: Span {
        let context = Context()
        func updateAttributes(_ update: (inout SpanAttributes) -> Void) {}
        func addEvent(_ event: SpanEvent) {}
        func setStatus(_ status: SpanStatus) {}
        func recordError(_ error: any Error) {}
        func end() {}
    }
    protocol Injector<Carrier> {
        associatedtype Carrier
        func inject(_ value: String, forKey key: String, into carrier: inout Carrier)
    }
    struct Instrument {
        func startSpan(
            _ name: String, context: Context = Context(), ofKind kind: SpanKind
        ) -> any Span { EmptySpan() }
        func inject<Carrier>(
            _ context: Context, into carrier: inout Carrier, using injector: some Injector<Carrier>
        ) {}
    }
    enum InstrumentationSystem {
        static var tracer: Instrument { Instrument() }
        static var instrument: Instrument { Instrument() }
    }
}

/// The part of OpenTelemetry's API that a sink uses.
enum OpenTelemetry {
    enum AttributeValue { case string(String) }
    struct LongCounter {
        mutating func add(value: Int, attributes: [String: AttributeValue]) {}
    }
    struct LongUpDownCounter {
        mutating func add(value: Int, attributes: [String: AttributeValue]) {}
    }
    struct DoubleHistogram {
        mutating func record(value: Double, attributes: [String: AttributeValue]) {}
    }
    struct Builder<Instrument> {
        let instrument: Instrument
        func build() -> Instrument { instrument }
    }
    final class Meter {
        func counterBuilder(name: String) -> Builder<LongCounter> {
            Builder(instrument: LongCounter())
        }
        func upDownCounterBuilder(name: String) -> Builder<LongUpDownCounter> {
            Builder(instrument: LongUpDownCounter())
        }
        func histogramBuilder(name: String) -> Builder<DoubleHistogram> {
            Builder(instrument: DoubleHistogram())
        }
    }
}
