extension Google.Protobuf {
    /// A span of time with a resolution of one nanosecond.
    public struct Duration: Message {
        public var seconds: Int64 = 0

        /// Nanoseconds with the same sign as the seconds. Less than a second.
        public var nanos: Int32 = 0
        public var unknownFields = UnknownFields()

        public init() {}

        public init(seconds: Int64, nanos: Int32 = 0) {
            self.seconds = seconds
            self.nanos = nanos
        }

        /// Rounds toward zero to whole nanoseconds. More seconds than the message can store become as many as it can.
        public init(_ duration: Swift.Duration) {
            let (seconds, attoseconds) = duration.storable.components
            self.init(seconds: seconds, nanos: Int32(attoseconds / 1_000_000_000))
        }

        public static var messageName: String { "google.protobuf.Duration" }

        public static let layout = Layout<Self> { field in
            field.int64(1, \.seconds)
            field.int32(2, \.nanos)
        }

        /// Whether the specification allows this value: at most 10,000 years, seconds and nanos of the
        /// same sign.
        public var isValid: Bool {
            (-315_576_000_000...315_576_000_000).contains(seconds)
                && (-999_999_999...999_999_999).contains(nanos)
                && (seconds == 0 || nanos == 0 || (seconds < 0) == (nanos < 0))
        }
    }
}

extension Duration {
    /// The duration, or the nearest one whose seconds are an `Int64`. The components of others stop the program.
    var storable: Duration { Swift.min(Swift.max(self, .seconds(Int64.min)), .seconds(Int64.max)) }

    /// The same duration. Nil if the specification does not allow the message's value.
    public init?(_ message: Google.Protobuf.Duration) {
        guard message.isValid else { return nil }
        self = .seconds(message.seconds) + .nanoseconds(message.nanos)
    }
}
