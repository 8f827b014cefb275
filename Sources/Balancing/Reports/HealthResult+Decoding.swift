import SwiftletCore

extension HealthResult {
    /// Decodes a `grpc.health.v1.HealthCheckResponse`. Throws INTERNAL when the bytes are no such message.
    init(decoding bytes: [UInt8], service: String, peer: String) throws(RPCError) {
        var status: UInt64 = 0
        var reader = ProtobufReader(bytes[...])
        do {
            while let field = try reader.nextField() {
                if field.number == 1, field.kind == .varint {
                    status = try reader.varint()
                } else {
                    try reader.skip(field)
                }
            }
        } catch {
            throw RPCError(.internal, "\(peer) sent a malformed health check response")
        }
        let what = service.isEmpty ? "it" : "'\(RPCError.shown(service))'"
        self =
            status == Self.serving
            ? .healthy
            : .unhealthy(
                RPCError(
                    .unavailable, "\(peer) reports that \(what) is \(Self.name(of: status))"
                ).notExecuted)
    }

    private static let serving: UInt64 = 1

    private static func name(of status: UInt64) -> String {
        switch status {
        case 0: "UNKNOWN"
        case 2: "NOT_SERVING"
        case 3: "SERVICE_UNKNOWN"
        default: "in the unknown state \(status)"
        }
    }
}
