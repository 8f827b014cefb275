extension LoadReport {
    /// The trailer in which a server reports its load with a call.
    static let trailerName = "endpoint-load-metrics-bin"

    /// The report in the trailers of a call; nil if there is none or it cannot be decoded.
    init?(trailers: borrowing Metadata) {
        guard let element = trailers.first(where: { $0.name == Self.trailerName }),
            case .bytes(let bytes) = element.value
        else { return nil }
        self.init(decoding: bytes)
    }

    /// Decodes the protobuf message `xds.data.orca.v3.OrcaLoadReport`. Nil when the bytes are no such
    /// message. Values that are negative or not finite count as 0.
    init?(decoding bytes: [UInt8]) {
        self.init()
        var reader = ProtobufReader(bytes[...])
        do {
            while let field = try reader.nextField() { try read(field, &reader) }
        } catch {
            return nil
        }
    }

    private mutating func read(
        _ field: ProtobufReader.Field, _ reader: inout ProtobufReader
    ) throws(ProtobufReader.Malformed) {
        switch (field.number, field.kind) {
        case (1, .fixed64): try reader.readDouble(into: &cpuUtilization)
        case (2, .fixed64): try reader.readDouble(into: &memoryUtilization)
        case (6, .fixed64): try reader.readDouble(into: &requestsPerSecond)
        case (7, .fixed64): try reader.readDouble(into: &errorsPerSecond)
        case (9, .fixed64): try reader.readDouble(into: &applicationUtilization)
        case (5, .bytes): try reader.readEntry(into: &utilization)
        case (8, .bytes): try reader.readEntry(into: &namedMetrics)
        default: try reader.skip(field)
        }
    }
}
