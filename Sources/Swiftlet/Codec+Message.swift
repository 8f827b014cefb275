extension Codec where Value: Message {
    /// A message of this library, in protobuf's binary format.
    @inlinable
    public static var message: Codec {
        Codec(
            message: { value in
                var octets: [UInt8] = []
                var apart = OctetsApart(minByteCount: EncodedMessage.partByteCount)
                value.encode(
                    appendingTo: &octets, reservingPrefix: MessagePrefix.byteCount,
                    leavingOut: &apart, options: EncodingOptions())
                guard apart.isEmpty else { return EncodedMessage(octets, between: apart) }
                octets.writePrefix(isCompressed: false, octets.count - MessagePrefix.byteCount)
                return .whole(octets)
            },
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

extension EncodedMessage {
    /// - Parameter octets: The message behind the room for its prefix, without what is `apart`.
    @usableFromInline
    init(_ octets: consuming [UInt8], between apart: OctetsApart) {
        octets.writePrefix(
            isCompressed: false, octets.count - MessagePrefix.byteCount + apart.byteCount)
        self = .parts(apart.parts(between: octets))
    }
}
