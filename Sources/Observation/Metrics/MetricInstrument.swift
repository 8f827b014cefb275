/// One metric of the library, as gRPC's proposals name it.
public struct MetricInstrument: Sendable {
    /// How the values of an instrument are to be combined.
    @nonexhaustive
    public enum Kind: Hashable, Sendable {
        /// The values are added up; none is negative.
        case counter
        /// The values are added up; some are negative. The sum is a current number, such as the
        /// number of open connections.
        case upDownCounter
        /// The values are distributed over buckets with these upper bounds.
        case histogram(bounds: [Double])
    }

    /// An object, because each measurement copies its instrument.
    private final class Definition: Sendable {
        let name: String
        let summary: String
        let unit: String
        let kind: Kind
        let labelKeys: [String]
        let optionalLabelKeys: [String]
        let isOnByDefault: Bool

        init(
            _ name: String, _ summary: String, unit: String, _ kind: Kind, labelKeys: [String],
            optionalLabelKeys: [String], isOnByDefault: Bool
        ) {
            self.name = name
            self.summary = summary
            self.unit = unit
            self.kind = kind
            self.labelKeys = labelKeys
            self.optionalLabelKeys = optionalLabelKeys
            self.isOnByDefault = isOnByDefault
        }
    }

    private let definition: Definition
    /// The index in ``all``.
    let index: Int

    init(
        name: String, summary: String, unit: String, kind: Kind, labelKeys: [String],
        optionalLabelKeys: [String], isOnByDefault: Bool, index: Int
    ) {
        definition = Definition(
            name, summary, unit: unit, kind, labelKeys: labelKeys,
            optionalLabelKeys: optionalLabelKeys, isOnByDefault: isOnByDefault)
        self.index = index
    }

    /// The name, such as `grpc.client.call.duration`.
    public var name: String { definition.name }
    /// A sentence that describes the measured value.
    public var summary: String { definition.summary }
    /// The unit as OpenTelemetry writes it: `s`, `By`, or the counted thing in braces, such as
    /// `{attempt}`.
    public var unit: String { definition.unit }
    /// How the values are combined; for a histogram, with the bounds of its buckets in ``unit``.
    public var kind: Kind { definition.kind }
    /// The keys of the labels that each value has.
    public var labelKeys: [String] { definition.labelKeys }
    /// The keys of the labels that a value has if ``MetricSink/optionalLabels`` contains them.
    public var optionalLabelKeys: [String] { definition.optionalLabelKeys }
    /// Whether a sink records the instrument by default. In the proposals, experimental metrics are
    /// off by default.
    public var isOnByDefault: Bool { definition.isOnByDefault }
}

extension MetricInstrument: Hashable {
    public static func == (left: Self, right: Self) -> Bool { left.index == right.index }

    public func hash(into hasher: inout Hasher) { hasher.combine(index) }
}

extension MetricInstrument: CustomStringConvertible {
    public var description: String { name }
}

/// One label of a value: `grpc.method`, `grpc.target`, `grpc.status` and others.
public struct MetricLabel: Hashable, Sendable {
    public var key: String
    public var value: String

    public init(_ key: String, _ value: String) {
        self.key = key
        self.value = value
    }
}

// MARK: - Buckets

extension MetricInstrument {
    /// Upper bounds of latencies in seconds (proposal A66).
    public static let latencyBounds: [Double] = [
        0, 0.00001, 0.00005, 0.0001, 0.0003, 0.0006, 0.0008, 0.001, 0.002, 0.003, 0.004, 0.005,
        0.006, 0.008, 0.01, 0.013, 0.016, 0.02, 0.025, 0.03, 0.04, 0.05, 0.065, 0.08, 0.1, 0.13,
        0.16, 0.2, 0.25, 0.3, 0.4, 0.5, 0.65, 0.8, 1, 2, 5, 10, 20, 50, 100,
    ]

    /// Upper bounds of sizes in bytes (proposal A66).
    public static let sizeBounds: [Double] = [
        0, 1_024, 2_048, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216,
        67_108_864, 268_435_456, 1_073_741_824, 4_294_967_296,
    ]

    /// Upper bounds of counts (proposal A66).
    public static let countBounds: [Double] = [
        0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 2_048, 4_096, 8_192, 16_384, 32_768,
        65_536,
    ]
}
