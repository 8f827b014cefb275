public import SwiftletMessages

/// `routeguide`: the guide to places along a route.
public enum RouteGuide {}

// The messages of routeguide.proto.
extension RouteGuide {
    /// A place on earth, in degrees times 10^7.
    public struct Point: Message {
        public var latitude: Int32 = 0
        public var longitude: Int32 = 0
        public var unknownFields = UnknownFields()

        public init() {}

        public init(latitude: Int32 = 0, longitude: Int32 = 0) {
            self.latitude = latitude
            self.longitude = longitude
        }

        public static var messageName: String { "routeguide.Point" }

        public static let layout = Layout<Self> { field in
            field.int32(1, \.latitude)
            field.int32(2, \.longitude)
        }
    }

    /// The area between two opposite corners.
    public struct Rectangle: Message {
        public var lo: Point?
        public var hi: Point?
        public var unknownFields = UnknownFields()

        public init() {}

        public init(lo: Point? = nil, hi: Point? = nil) {
            self.lo = lo
            self.hi = hi
        }

        public static var messageName: String { "routeguide.Rectangle" }

        public static let layout = Layout<Self> { field in
            field.message(1, \.lo)
            field.message(2, \.hi)
        }
    }

    /// A named feature at a point.
    public struct Feature: Message {
        public var name = ""
        public var location: Point?
        public var unknownFields = UnknownFields()

        public init() {}

        public init(name: String = "", location: Point? = nil) {
            self.name = name
            self.location = location
        }

        public static var messageName: String { "routeguide.Feature" }

        public static let layout = Layout<Self> { field in
            field.string(1, \.name)
            field.message(2, \.location)
        }
    }

    /// A message left at a point.
    public struct RouteNote: Message {
        public var location: Point?
        public var message = ""
        public var unknownFields = UnknownFields()

        public init() {}

        public init(location: Point? = nil, message: String = "") {
            self.location = location
            self.message = message
        }

        public static var messageName: String { "routeguide.RouteNote" }

        public static let layout = Layout<Self> { field in
            field.message(1, \.location)
            field.string(2, \.message)
        }
    }

    /// The summary of a recorded route.
    public struct RouteSummary: Message {
        /// How many points were received.
        public var pointCount: Int32 = 0
        /// How many of them had a feature.
        public var featureCount: Int32 = 0
        /// The distance from point to point, in meters.
        public var distance: Int32 = 0
        /// The duration of the recording, in seconds.
        public var elapsedTime: Int32 = 0
        public var unknownFields = UnknownFields()

        public init() {}

        public init(
            pointCount: Int32 = 0, featureCount: Int32 = 0, distance: Int32 = 0,
            elapsedTime: Int32 = 0
        ) {
            self.pointCount = pointCount
            self.featureCount = featureCount
            self.distance = distance
            self.elapsedTime = elapsedTime
        }

        public static var messageName: String { "routeguide.RouteSummary" }

        public static let layout = Layout<Self> { field in
            field.int32(1, \.pointCount)
            field.int32(2, \.featureCount)
            field.int32(3, \.distance)
            field.int32(4, \.elapsedTime)
        }
    }
}
