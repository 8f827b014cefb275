import SwiftletCore

extension SubchannelSubject {
    private static let health = MethodSignature(
        path: "/grpc.health.v1.Health/Watch", shape: .serverStreaming, contentSubtype: nil)
    private static let load = MethodSignature(
        path: "/xds.service.orca.v3.OpenRcaService/StreamCoreMetrics", shape: .serverStreaming,
        contentSubtype: nil)

    var method: MethodSignature {
        switch self {
        case .health: Self.health
        case .load: Self.load
        }
    }

    /// The only request message, without a prefix: `grpc.health.v1.HealthCheckRequest` or
    /// `xds.service.orca.v3.OrcaLoadReportRequest`.
    var request: [UInt8] {
        var bytes: [UInt8] = []
        switch self {
        case .health(let service): bytes.appendField(1, Array(service.utf8))
        case .load(let interval):
            // The components of a longer duration stop the program.
            let (seconds, attoseconds) = min(interval, .seconds(Int64.max)).components
            var duration: [UInt8] = []
            duration.appendField(1, UInt64(clamping: seconds))
            duration.appendField(2, UInt64(clamping: attoseconds / 1_000_000_000))
            bytes.appendField(1, duration)
        }
        return bytes
    }
}

extension [UInt8] {
    /// Appends a protobuf field of type `string`, `bytes` or message, unless it is empty.
    fileprivate mutating func appendField(_ number: UInt64, _ value: [UInt8]) {
        guard !value.isEmpty else { return }
        appendVarint(number << 3 | 2)
        appendVarint(UInt64(value.count))
        append(contentsOf: value)
    }

    /// Appends a protobuf field of an integer type, unless it is 0.
    fileprivate mutating func appendField(_ number: UInt64, _ value: UInt64) {
        guard value != 0 else { return }
        appendVarint(number << 3)
        appendVarint(value)
    }

    private mutating func appendVarint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }
}
