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

        @inlinable
        public init() {}

        @inlinable
        public init(latitude: Int32 = 0, longitude: Int32 = 0) {
            self.latitude = latitude
            self.longitude = longitude
        }

        @inlinable public static var messageName: String { "routeguide.Point" }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.int32(1, &latitude)
            try field.int32(2, &longitude)
        }
    }

    /// The area between two opposite corners.
    public struct Rectangle: Message {
        public var lo: Point?
        public var hi: Point?
        public var unknownFields = UnknownFields()

        @inlinable
        public init() {}

        @inlinable
        public init(lo: Point? = nil, hi: Point? = nil) {
            self.lo = lo
            self.hi = hi
        }

        @inlinable public static var messageName: String { "routeguide.Rectangle" }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.message(1, &lo)
            try field.message(2, &hi)
        }
    }

    /// A named feature at a point.
    public struct Feature: Message {
        public var name = ""
        public var location: Point?
        public var unknownFields = UnknownFields()

        @inlinable
        public init() {}

        @inlinable
        public init(name: String = "", location: Point? = nil) {
            self.name = name
            self.location = location
        }

        @inlinable public static var messageName: String { "routeguide.Feature" }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.string(1, &name)
            try field.message(2, &location)
        }
    }

    /// A message left at a point.
    public struct RouteNote: Message {
        public var location: Point?
        public var message = ""
        public var unknownFields = UnknownFields()

        @inlinable
        public init() {}

        @inlinable
        public init(location: Point? = nil, message: String = "") {
            self.location = location
            self.message = message
        }

        @inlinable public static var messageName: String { "routeguide.RouteNote" }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.message(1, &location)
            try field.string(2, &message)
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

        @inlinable
        public init() {}

        @inlinable
        public init(
            pointCount: Int32 = 0, featureCount: Int32 = 0, distance: Int32 = 0,
            elapsedTime: Int32 = 0
        ) {
            self.pointCount = pointCount
            self.featureCount = featureCount
            self.distance = distance
            self.elapsedTime = elapsedTime
        }

        @inlinable public static var messageName: String { "routeguide.RouteSummary" }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.int32(1, &pointCount)
            try field.int32(2, &featureCount)
            try field.int32(3, &distance)
            try field.int32(4, &elapsedTime)
        }
    }
}
