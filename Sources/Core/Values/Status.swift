/// How a call ended, as the server says it.
public struct Status: Hashable, Sendable {
    /// ``StatusCode/ok`` when the call went well.
    public var code: StatusCode
    /// Why not, in words for whoever reads the log; empty as a rule when it did.
    public var message: String
    /// The octets of `grpc-status-details-bin`: a `google.rpc.Status`, as a rule.
    public var details: [UInt8]

    public init(_ code: StatusCode, _ message: String = "", details: [UInt8] = []) {
        self.code = code
        self.message = message
        self.details = details
    }

    public static let ok = Status(.ok)
}

extension Status: CustomStringConvertible {
    public var description: String { message.isEmpty ? "\(code)" : "\(code): \(message)" }
}
