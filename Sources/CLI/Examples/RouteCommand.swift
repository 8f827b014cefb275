import Swiftlet
import SwiftletServices

/// Calls one of the four methods of `routeguide.RouteGuide`. Each method has another shape of call.
enum RouteCommand: Command {
    static let name = "route"
    static let usage = "route feature|list|record|chat [TARGET] \(ChannelOptions.usage)"
    static let purpose = "makes one of the four RouteGuide calls"
    static let examples = ["route list", "route chat localhost:50051"]
    static let options = ChannelOptions.all

    static func run(_ arguments: Arguments) async throws {
        let what = try arguments.word(0, "feature, list, record or chat")
        try arguments.expectAtMost(2)
        let target = arguments.words.count > 1 ? arguments.words[1] : ChannelOptions.defaultTarget
        let channel = try ChannelOptions.channel(target, arguments)
        let guide = RouteGuideClient(channel: channel)
        try await channel.closing {
            switch what {
            case "feature": try await feature(guide)
            case "list": try await list(guide)
            case "record": try await record(guide)
            case "chat": try await chat(guide)
            default: throw UsageError(message: "there is no call '\(what)'")
            }
        }
    }

    static let places = [
        RouteGuide.Point(latitude: 407_838_351, longitude: -746_143_763),
        RouteGuide.Point(latitude: 408_122_808, longitude: -743_999_179),
        RouteGuide.Point(latitude: 413_628_156, longitude: -749_015_468),
    ]

    /// One message in each direction.
    static func feature(_ guide: RouteGuideClient) async throws {
        let feature = try await guide.getFeature(places[0])
        printText("  at \(places[0].text): \(feature.name.isEmpty ? "nothing" : feature.name)")
    }

    /// Many messages from the server.
    static func list(_ guide: RouteGuideClient) async throws {
        let area = RouteGuide.Rectangle(
            lo: .init(latitude: 400_000_000, longitude: -750_000_000),
            hi: .init(latitude: 420_000_000, longitude: -730_000_000))
        for try await feature in try await guide.listFeatures(area) {
            printText("  \(feature.name)")
        }
    }

    /// Many messages to the server.
    static func record(_ guide: RouteGuideClient) async throws {
        let summary = try await guide.recordRoute { route in
            for place in places { try await route.write(place) }
        }
        print(
            "  \(summary.pointCount) points, \(summary.featureCount) features, "
                + "\(summary.distance) m")
    }

    /// Many messages in both directions.
    static func chat(_ guide: RouteGuideClient) async throws {
        let chat = try await guide.routeChat()
        for (index, place) in [places[0], places[1], places[0]].enumerated() {
            try await chat.requests.write(.init(location: place, message: "note \(index + 1)"))
        }
        chat.requests.finish()
        for try await note in chat.responses {
            printText("  at \(note.location?.text ?? "nowhere") earlier: \(note.message)")
        }
    }
}
