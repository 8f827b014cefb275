extension LoadReport {
    /// The trailer in which a server reports its load with a call.
    package static let trailerName = "endpoint-load-metrics-bin"

    /// The report in the trailers of a call; nil when there is none, or one that cannot be read.
    package init?(trailers: Metadata) {
        guard let element = trailers.first(where: { $0.name == Self.trailerName }),
            case .bytes(let bytes) = element.value
        else { return nil }
        self.init(decoding: bytes)
    }

    /// Decodes the protobuf message `xds.data.orca.v3.OrcaLoadReport`. Nil when the bytes are no such
    /// message. Values that are negative or not finite count as 0.
    package init?(decoding bytes: [UInt8]) {
        self.init()
        var reader = LoadReportReader(bytes[...])
        do {
            while let field = try reader.nextField() { try read(field, &reader) }
        } catch {
            return nil
        }
    }

    private mutating func read(
        _ field: LoadReportReader.Field, _ reader: inout LoadReportReader
    ) throws(LoadReportReader.Malformed) {
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

/// Reads the fields of a load report: the parts of protobuf's encoding that the message uses.
struct LoadReportReader {
    struct Malformed: Error {}

    enum Kind: UInt64 { case varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 }

    struct Field {
        let number: UInt64
        let kind: Kind
    }

    private var bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }
}

extension LoadReportReader {
    /// The tag of the next field; nil at the end.
    mutating func nextField() throws(Malformed) -> Field? {
        guard !bytes.isEmpty else { return nil }
        let tag = try varint()
        guard let kind = Kind(rawValue: tag & 7), tag >> 3 > 0 else { throw Malformed() }
        return Field(number: tag >> 3, kind: kind)
    }

    /// Reads a double. One that is negative or not finite changes nothing.
    mutating func readDouble(into value: inout Double) throws(Malformed) {
        let bits = try take(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let number = Double(bitPattern: bits)
        if number.isFinite, number >= 0 { value = number }
    }

    /// Reads an entry of a map from names to doubles.
    mutating func readEntry(into map: inout [String: Double]) throws(Malformed) {
        var entry = LoadReportReader(try takeCounted())
        var (name, value) = ("", 0.0)
        while let field = try entry.nextField() {
            switch (field.number, field.kind) {
            case (1, .bytes): name = String(decoding: try entry.takeCounted(), as: UTF8.self)
            case (2, .fixed64): try entry.readDouble(into: &value)
            default: try entry.skip(field)
            }
        }
        map[name] = value
    }

    mutating func skip(_ field: Field) throws(Malformed) {
        switch field.kind {
        case .varint: _ = try varint()
        case .fixed64: _ = try take(8)
        case .fixed32: _ = try take(4)
        case .bytes: _ = try takeCounted()
        }
    }

    private mutating func varint() throws(Malformed) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard let byte = bytes.popFirst() else { throw Malformed() }
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return value }
        }
        throw Malformed()
    }

    private mutating func takeCounted() throws(Malformed) -> ArraySlice<UInt8> {
        let count = try varint()
        guard count <= UInt64(bytes.count) else { throw Malformed() }
        return try take(Int(count))
    }

    private mutating func take(_ count: Int) throws(Malformed) -> ArraySlice<UInt8> {
        guard count <= bytes.count else { throw Malformed() }
        defer { bytes = bytes.dropFirst(count) }
        return bytes.prefix(count)
    }
}
