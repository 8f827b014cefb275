extension Codec where Value: Message {
    /// A message of this library, in protobuf's binary format.
    @inlinable
    public static var message: Codec {
        Codec(
            encode: { value, prefixByteCount in value.encoded(reservingPrefix: prefixByteCount) },
            decode: { octets in try Value(decoding: octets) })
    }
}

extension Method where Request: Message, Reply: Message {
    /// A procedure whose messages are this library's.
    ///
    /// ```swift
    /// let sayHello = Method<HelloRequest, HelloReply>("/helloworld.Greeter/SayHello", .unary)
    /// ```
    @inlinable
    public init(_ path: String, _ shape: CallShape) {
        self.init(path, shape, request: .message, reply: .message)
    }
}
