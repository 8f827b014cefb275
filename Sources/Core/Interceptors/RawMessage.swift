/// A message as octets, on its way through interceptors.
public struct RawMessage: Sendable {
    /// The octets, behind so many that belong to the transport.
    private var storage: [UInt8]
    private let prefixByteCount: Int
    /// Whether it is compressed on a call that compresses. Of no meaning in a response.
    public var mayCompress = true

    public init(_ bytes: [UInt8]) {
        storage = bytes
        prefixByteCount = 0
    }

    /// A message whose first octets are kept free for its prefix.
    package init(behindPrefix storage: consuming [UInt8], mayCompress: Bool = true) {
        self.storage = storage
        self.mayCompress = mayCompress
        prefixByteCount = MessagePrefix.byteCount
    }

    public var byteCount: Int { storage.count - prefixByteCount }

    /// The octets of the message.
    public var bytes: [UInt8] {
        prefixByteCount == 0 ? storage : Array(storage.dropFirst(prefixByteCount))
    }

    /// Reads the octets where they lie.
    public func withBytes<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let storage = storage
        return try body(storage.span.extracting(droppingFirst: prefixByteCount))
    }

    /// The octets with room for the prefix in front.
    package consuming func behindPrefix() -> [UInt8] {
        guard prefixByteCount == 0 else { return storage }
        var framed = [UInt8](repeating: 0, count: MessagePrefix.byteCount)
        framed += storage
        return framed
    }
}

extension RawMessage: Hashable {
    public static func == (left: RawMessage, right: RawMessage) -> Bool {
        left.storage.dropFirst(left.prefixByteCount)
            == right.storage.dropFirst(right.prefixByteCount)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(storage.dropFirst(prefixByteCount))
    }
}
