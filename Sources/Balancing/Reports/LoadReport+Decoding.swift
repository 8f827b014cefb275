public import SwiftletCore

extension CallOutcome {
    /// Makes an outcome.
    public init(code: StatusCode, load: LoadReport?, wasSent: Bool = true) {
        self.init(code: code, wasSent: wasSent)
        self.load = load
    }

    /// The load that the server reported with the call's trailers (proposal A51); nil when it reported none, or one that
    /// cannot be decoded.
    public var load: LoadReport? {
        get {
            switch report {
            case .none: nil
            case .encoded(let bytes): LoadReport(decoding: bytes)
            case .decoded(let load): load
            }
        }
        set { report = newValue.map { .decoded($0) } ?? .none }
    }
}

extension LoadReport {
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
