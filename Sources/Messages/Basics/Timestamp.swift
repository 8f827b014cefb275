extension Google.Protobuf {
    /// A point in time with a resolution of one nanosecond, independent of time zones.
    public struct Timestamp: Message {
        /// Seconds since the first of January 1970, UTC, without leap seconds.
        public var seconds: Int64 = 0

        /// Nanoseconds to add, even to negative seconds: 0...999999999.
        public var nanos: Int32 = 0
        public var unknownFields = UnknownFields()

        public init() {}

        public init(seconds: Int64, nanos: Int32 = 0) {
            self.seconds = seconds
            self.nanos = nanos
        }

        /// The time `duration` after the first of January 1970, rounded down to a nanosecond. More seconds than the
        /// message can store become as many as it can.
        public init(sinceEpoch duration: Swift.Duration) {
            let (whole, attoseconds) = duration.storable.components
            let nanos = attoseconds / 1_000_000_000
            let isInexact = attoseconds % 1_000_000_000 < 0
            let below = isInexact ? nanos - 1 : nanos
            self.init(
                seconds: below < 0 ? whole - 1 : whole,
                nanos: Int32(below < 0 ? below + 1_000_000_000 : below))
        }

        /// The time since the first of January 1970. Nil if the timestamp is not valid.
        public var durationSinceEpoch: Swift.Duration? {
            isValid ? .seconds(seconds) + .nanoseconds(nanos) : nil
        }

        /// Whether the specification allows this value: the years 1 to 9999.
        public var isValid: Bool {
            (-62_135_596_800...253_402_300_799).contains(seconds)
                && (0...999_999_999).contains(nanos)
        }

        public static var messageName: String { "google.protobuf.Timestamp" }

        public static let layout = Layout<Self> { field in
            field.int64(1, \.seconds)
            field.int32(2, \.nanos)
        }
    }
}
