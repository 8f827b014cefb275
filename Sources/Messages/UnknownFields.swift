/// Fields that arrived but that the message does not list, as they stood on the wire.
@frozen
public struct UnknownFields: Hashable, Sendable {
    /// Nil, not empty, when there are none: a nil costs nothing to copy.
    @usableFromInline var storage: [UInt8]?

    @inlinable
    public init() {}

    /// Tags and values one after the other.
    @inlinable
    public var octets: [UInt8] { storage ?? [] }

    @inlinable
    public var isEmpty: Bool { storage == nil }

    @usableFromInline
    mutating func append(_ field: UnsafeBufferPointer<UInt8>) {
        // Safe: the decoder hands over a range that it has checked, and it is copied here.
        // Taken out to be the only one who holds it: `+` would copy all that is there each time.
        var octets = storage.take() ?? []
        unsafe octets.append(contentsOf: field)
        storage = octets
    }
}
