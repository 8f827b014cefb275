import SwiftletCore
import SwiftletMessages
import Synchronization

extension ServerMethods {
    /// Adds `routeguide.RouteGuide`: one method for each shape of call. It has data of four places.
    public mutating func addRouteGuide() {
        let notes = NoteBoard()
        unary(
            Method<RouteGuide.Point, RouteGuide.Feature>(bundled: Self.path("GetFeature"), .unary)
        ) { point, _ in
            RouteGuideData.features.first { $0.location == point }
                ?? RouteGuide.Feature(name: "", location: point)
        }
        serverStreaming(
            Method<RouteGuide.Rectangle, RouteGuide.Feature>(
                bundled: Self.path("ListFeatures"), .serverStreaming)
        ) { rectangle, replies, _ in
            for feature in RouteGuideData.features where rectangle.contains(feature.location) {
                try await replies.write(feature)
            }
        }
        clientStreaming(
            Method<RouteGuide.Point, RouteGuide.RouteSummary>(
                bundled: Self.path("RecordRoute"), .clientStreaming)
        ) { points, _ in
            let start = ContinuousClock.now
            var summary = RouteGuide.RouteSummary()
            var distance: Int64 = 0
            var previous: RouteGuide.Point?
            for try await point in points {
                summary.pointCount &+= 1
                if RouteGuideData.features.contains(where: { $0.location == point }) {
                    summary.featureCount &+= 1
                }
                distance += Int64(previous?.roughMetres(to: point) ?? 0)
                previous = point
            }
            summary.distance = Int32(clamping: distance)
            summary.elapsedTime = Int32(clamping: start.duration(to: .now).components.seconds)
            return summary
        }
        bidirectional(
            Method<RouteGuide.RouteNote, RouteGuide.RouteNote>(
                bundled: Self.path("RouteChat"), .bidirectional)
        ) { incoming, replies, _ in
            for try await note in incoming {
                for earlier in try notes.add(note) { try await replies.write(earlier) }
            }
        }
    }

    private static func path(_ name: String) -> String { "/routeguide.RouteGuide/\(name)" }
}

/// The notes of each location.
private final class NoteBoard: Sendable {
    private let notes = Mutex(KeptMessages<RouteGuide.RouteNote>())

    /// Adds a note, and returns the earlier notes of its location. Throws RESOURCE_EXHAUSTED if there are too
    /// many.
    func add(_ note: RouteGuide.RouteNote) throws(RPCError) -> [RouteGuide.RouteNote] {
        try notes.withLock { (notes) throws(RPCError) in
            let earlier = notes.all.filter { $0.location == note.location }
            try notes.append(note)
            return earlier
        }
    }
}

/// The features of the server.
enum RouteGuideData {
    static let features = [
        RouteGuide.Feature(
            name: "Patriots Path, Mendham, NJ 07945, USA",
            location: .init(latitude: 407_838_351, longitude: -746_143_763)),
        RouteGuide.Feature(
            name: "101 New Jersey 10, Whippany, NJ 07981, USA",
            location: .init(latitude: 408_122_808, longitude: -743_999_179)),
        RouteGuide.Feature(
            name: "U.S. 6, Shohola, PA 18458, USA",
            location: .init(latitude: 413_628_156, longitude: -749_015_468)),
        RouteGuide.Feature(
            name: "Berkshire Valley Management Area Trail, Jefferson, NJ, USA",
            location: .init(latitude: 409_146_138, longitude: -746_188_906)),
    ]
}

extension RouteGuide.Rectangle {
    fileprivate func contains(_ point: RouteGuide.Point?) -> Bool {
        guard let point, let lo, let hi else { return false }
        let latitudes = min(lo.latitude, hi.latitude)...max(lo.latitude, hi.latitude)
        let longitudes = min(lo.longitude, hi.longitude)...max(lo.longitude, hi.longitude)
        return latitudes.contains(point.latitude) && longitudes.contains(point.longitude)
    }
}

extension RouteGuide.Point {
    /// The distance on a flat map: a degree is 111 km, and coordinates are in units of 10⁻⁷ degrees.
    fileprivate func roughMetres(to other: RouteGuide.Point) -> Int32 {
        let north = Double(other.latitude) - Double(latitude)
        let east = Double(other.longitude) - Double(longitude)
        return Int32(((north * north + east * east).squareRoot() * 111_000 / 1e7).rounded())
    }
}
