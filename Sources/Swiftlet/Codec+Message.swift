extension Codec where Value: Message {
    /// Encodes and decodes a `Message` in protobuf's binary format.
    @inlinable
    public static var message: Codec {
        let sizeHint = SizeHint()
        return Codec(
            message: { value in
                var bytes: [UInt8] = []
                bytes.reserveCapacity(sizeHint.capacity)
                var separate = SeparateBytes(minByteCount: EncodedMessage.partByteCount)
                value.encode(
                    appendingTo: &bytes, reservingPrefix: MessagePrefix.byteCount,
                    separating: &separate, options: EncodingOptions())
                sizeHint.note(bytes.count)
                guard separate.isEmpty else { return EncodedMessage(bytes, between: separate) }
                bytes.writePrefix(isCompressed: false, bytes.count - MessagePrefix.byteCount)
                return .whole(bytes)
            },
            decode: { bytes in try Value(decoding: bytes) })
    }
}

extension Method where Request: Message, Reply: Message {
    /// A method whose request and response conform to `Message`.
    ///
    /// ```swift
    /// let sayHello = Method<HelloRequest, HelloReply>("/helloworld.Greeter/SayHello", .unary)
    /// ```
    @inlinable
    public init(_ path: StaticString, _ shape: CallShape) {
        self.init(path, shape, request: .message, reply: .message)
    }

    /// A method with a path that is known only at run time. Throws INVALID_ARGUMENT when the path
    /// is not of the form `/package.Service/Method`.
    @inlinable
    public init(path: String, _ shape: CallShape) throws(RPCError) {
        try self.init(path: path, shape, request: .message, reply: .message)
    }
}

extension EncodedMessage {
    /// - Parameter bytes: Free bytes for the prefix, then the message without its `separate`
    ///   fields.
    @usableFromInline
    init(_ bytes: consuming [UInt8], between separate: SeparateBytes) {
        bytes.writePrefix(
            isCompressed: false, bytes.count - MessagePrefix.byteCount + separate.byteCount)
        self = .parts(separate.parts(between: bytes))
    }
}
