/// Fields that were received but are not in the message's list, as they were encoded.
@frozen
public struct UnknownFields: Hashable, Sendable {
    /// Nil, not empty, when there are none: a nil costs nothing to copy.
    @usableFromInline var storage: [UInt8]?

    @inlinable
    public init() {}

    /// Tags and values one after the other.
    @inlinable
    public var bytes: [UInt8] { storage ?? [] }

    @inlinable
    public var isEmpty: Bool { storage == nil }

    @usableFromInline
    mutating func append(_ field: UnsafeBufferPointer<UInt8>) {
        // Safe: the decoder has checked the range, and it is copied here. The array is taken out of
        // the optional, so that it has one owner and grows in place.
        var bytes = storage.take() ?? []
        unsafe bytes.append(contentsOf: field)
        storage = bytes
    }
}
