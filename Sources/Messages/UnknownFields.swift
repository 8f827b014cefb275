/// Fields that were received but are not in the message's list, in their encoded form.
@frozen
public struct UnknownFields: Hashable, Sendable {
    /// Nil, not empty, if there are none: nil costs nothing to copy.
    @usableFromInline var storage: [UInt8]?

    @inlinable
    public init() {}

    /// Tags and values, one after another.
    @inlinable
    public var bytes: [UInt8] { storage ?? [] }

    @inlinable
    public var isEmpty: Bool { storage == nil }

    @usableFromInline
    mutating func append(_ field: UnsafeBufferPointer<UInt8>) {
        // Safe: the decoder has checked the range, and the bytes are copied here. The array is
        // moved out of the optional, so that it has one owner and grows in place.
        var bytes = storage.take() ?? []
        unsafe bytes.append(contentsOf: field)
        storage = bytes
    }
}
