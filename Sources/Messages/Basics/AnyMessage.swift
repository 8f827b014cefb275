extension Google.Protobuf {
    /// Any message, together with its name.
    public struct AnyMessage: Message {
        /// A URL whose last part is the message's full name: `type.googleapis.com/helloworld.HelloReply`.
        public var typeURL = ""

        /// The encoded message.
        public var value: [UInt8] = []
        public var unknownFields = UnknownFields()

        public init() {}

        /// Packs `message` under its ``Message/messageName``. A message that you write yourself must declare that
        /// property: by default it is the name of the Swift type, which other programs do not know.
        public init<M: Message>(packing message: M) {
            typeURL = "type.googleapis.com/" + M.messageName
            value = message.encoded(options: .deterministic)
        }

        /// The full name of the contained message.
        public var containedName: Substring {
            typeURL.utf8.lastIndex(of: UInt8(ascii: "/")).map { slash in
                typeURL[typeURL.utf8.index(after: slash)...]
            } ?? typeURL[...]
        }

        /// Whether ``containedName`` is the ``Message/messageName`` of the type. Does not decode ``value``.
        public func holds<M: Message>(_ type: M.Type) -> Bool {
            TextBytes.areEqual(containedName, M.messageName)
        }

        /// The contained message. Nil if it is of another type.
        public func unpack<M: Message>(
            as type: M.Type = M.self, options: DecodingOptions = DecodingOptions()
        ) throws(WireError) -> M? {
            holds(type) ? try M(decoding: value, options: options) : nil
        }

        public static var messageName: String { "google.protobuf.Any" }

        public static let layout = Layout<Self> { field in
            field.string(1, \.typeURL)
            field.bytes(2, \.value)
        }
    }
}
