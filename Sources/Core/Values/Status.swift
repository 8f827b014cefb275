/// The status that a server sends at the end of a call.
public struct Status: Hashable, Sendable {
    /// ``StatusCode/ok`` if the call succeeded.
    public var code: StatusCode
    /// The message of the server, for logs; usually empty if the call succeeded.
    public var message: String
    /// The bytes of `grpc-status-details-bin`, usually a `google.rpc.Status`.
    public var details: [UInt8]

    public init(_ code: StatusCode, _ message: String = "", details: [UInt8] = []) {
        self.code = code
        self.message = message
        self.details = details
    }

    public static let ok = Status(.ok)
}

extension Status: CustomStringConvertible {
    /// The code and the message on one line, limited in length as in ``RPCError``.
    public var description: String {
        message.isEmpty ? "\(code)" : "\(code): \(RPCError.shown(message))"
    }
}
