/// Fields that were received but are not in the message's list, in their encoded form.
public struct UnknownFields: Hashable, Sendable {
    /// Nil, not empty, if there are none: nil costs nothing to copy.
    var storage: [UInt8]?

    public init() {}

    /// - Parameter bytes: Tags and values. Not checked.
    init(unchecked bytes: [UInt8]) { storage = bytes }

    /// Tags and values, one after another.
    public var bytes: [UInt8] { storage ?? [] }

    public var isEmpty: Bool { storage == nil }

    mutating func append(_ field: UnsafeBufferPointer<UInt8>) {
        // Safe: the decoder has checked the range, and the bytes are copied here. The array is
        // moved out of the optional, so that it has one owner and grows in place.
        var bytes = storage.take() ?? []
        unsafe bytes.append(contentsOf: field)
        storage = bytes
    }
}
