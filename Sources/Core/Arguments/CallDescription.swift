/// A call, as interceptors and credentials receive it.
public struct CallDescription: Hashable, Sendable {
    /// `/package.Service/Method`.
    public let path: String
    public let shape: CallShape
    /// The `:authority` of the request.
    public let authority: String
    /// Whether the connection is encrypted. False if this is decided only when the call gets a connection.
    public var isSecure: Bool { encryption == .all }
    /// Which connections of the channel are encrypted.
    package let encryption: Encryption
    /// The method of a plain HTTP request; nil for a call of gRPC.
    public var httpMethod: HTTPMethod? { plain?.method }
    /// The plain HTTP request; nil for a call of gRPC.
    package let plain: PlainExchange?

    /// - Parameters:
    ///   - path: `/package.Service/Method`.
    ///   - shape: How many messages each side sends.
    ///   - authority: The `:authority` of the request.
    ///   - isSecure: Whether the connection is encrypted.
    public init(path: String, shape: CallShape, authority: String, isSecure: Bool) {
        (self.path, self.shape, self.authority) = (path, shape, authority)
        (encryption, plain) = (isSecure ? .all : .none, nil)
    }

    /// - Parameter authority: That of the call's options, if they have one.
    init(_ method: MethodSignature, authority: String?, _ channel: any ChannelBackend) {
        (path, shape) = (method.path, method.shape)
        self.authority = authority ?? channel.authority
        (encryption, plain) = (channel.encryption, method.plain)
    }

    /// `package.Service`.
    public var serviceName: String { MethodName(path: path)?.service ?? "" }
    /// `Method`.
    public var methodName: String { MethodName(path: path)?.method ?? "" }
}
