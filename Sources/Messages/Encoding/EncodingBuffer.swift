/// Memory that holds one encoded message, and then the next. It allocates only for a message that is
/// larger than all before. It is faster than an array that is emptied before each message.
///
/// ```swift
/// var buffer = EncodingBuffer()
/// for point in points {
///     buffer.encode(point)
///     buffer.withSpan { bytes in log.append(bytes) }
/// }
/// ```
@safe
public struct EncodingBuffer: ~Copyable {
    /// Has `capacity` bytes. The first `count` are the message; the others have no meaning.
    var start: UnsafeMutablePointer<UInt8>
    var capacity: Int
    /// The size of the encoded message in bytes. 0 before the first message.
    public var count: Int { messageByteCount }
    var messageByteCount = 0

    /// - Parameter minimumCapacity: The size of a message that needs no further allocation, in bytes.
    ///   The default is 0. A negative size means 0.
    public init(minimumCapacity: Int = 0) {
        capacity = Swift.max(0, minimumCapacity) + FieldWriter.slack
        unsafe start = .allocate(capacity: capacity)
    }

    deinit { unsafe start.deallocate() }
}

// Safe: a value that cannot be copied is the only owner of its memory.
extension EncodingBuffer: @unchecked Sendable {}

extension EncodingBuffer {
    /// Encodes `message` in place of the message before.
    @inlinable
    public mutating func encode<M: Message>(
        _ message: M, options: EncodingOptions = EncodingOptions()
    ) {
        unsafe withUnsafePointer(to: message) { message in
            unsafe encode(UnsafeRawPointer(message), M.layout.table, options)
        }
    }

    @usableFromInline
    mutating func encode(
        _ message: UnsafeRawPointer, _ table: UnsafePointer<FieldTable>, _ options: EncodingOptions
    ) {
        unsafe Encoding(message, table, prefixByteCount: 0, separate: nil, options: options)
            .fill(&self)
    }

    /// Calls `body` with the encoded message, which is empty before the first ``encode(_:options:)``.
    /// Throws what `body` throws.
    public func withSpan<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // Safe: the first `count` bytes are written, and nothing changes them while `self` is borrowed.
        try body(unsafe UnsafeBufferPointer(start: start, count: count).span)
    }

    /// A copy of the encoded message. Empty before the first ``encode(_:options:)``.
    public var bytes: [UInt8] {
        unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    }

    /// Replaces the memory by memory for a message of `byteCount` bytes, and forgets the message.
    mutating func grow(_ byteCount: Int) {
        // At least doubles, so that messages of growing size do not allocate each time.
        let larger = Swift.max(byteCount + FieldWriter.slack, 2 * capacity)
        let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        unsafe start.deallocate()
        unsafe start = memory
        capacity = larger
        messageByteCount = 0
    }
}
