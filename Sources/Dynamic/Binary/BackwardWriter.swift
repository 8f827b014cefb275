import SwiftletMessages

/// Writes bytes from the last to the first. The content of a message is written before its length, so the length need
/// not be computed in advance, and no bytes are moved.
///
/// Invariant: `position` is in `0...capacity`, and the bytes from `position` on are written.
@safe
struct BackwardWriter: ~Copyable {
    private var buffer: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private var position: Int

    init(capacity: Int) {
        self.capacity = max(capacity, 16)
        position = self.capacity
        unsafe buffer = .allocate(capacity: self.capacity)
    }

    deinit { unsafe buffer.deallocate() }

    /// The count of the written bytes.
    var count: Int { capacity - position }

    /// A copy of the written bytes.
    var bytes: [UInt8] {
        // Safe: by the invariant.
        unsafe [UInt8](UnsafeBufferPointer(start: buffer + position, count: count))
    }

    /// Makes room for `byteCount` more bytes.
    @inline(__always)
    private mutating func reserve(_ byteCount: Int) {
        if position < byteCount { grow(byteCount) }
    }

    @inline(never)
    private mutating func grow(_ byteCount: Int) {
        let larger = max(2 * capacity, count + byteCount)
        // Safe: the new buffer is larger, and the bytes keep their distance to the end.
        let new = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        unsafe (new + larger - count).update(from: buffer + position, count: count)
        unsafe buffer.deallocate()
        unsafe buffer = new
        position = larger - count
        capacity = larger
    }

    @inline(__always)
    mutating func byte(_ byte: UInt8) {
        reserve(1)
        position &-= 1
        unsafe buffer[position] = byte
    }

    @inline(__always)
    mutating func varint(_ value: UInt64) {
        if value < 0x80 { return byte(UInt8(truncatingIfNeeded: value)) }
        guard value < 0x4000 else { return longVarint(value) }
        reserve(2)
        position &-= 2
        unsafe buffer[position] = UInt8(truncatingIfNeeded: value) | 0x80
        unsafe buffer[position &+ 1] = UInt8(truncatingIfNeeded: value &>> 7)
    }

    private mutating func longVarint(_ value: UInt64) {
        let byteCount = Varint.byteCount(value)
        reserve(byteCount)
        position &-= byteCount
        let start = unsafe buffer + position
        var rest = value
        for index in 0..<byteCount &- 1 {
            unsafe start[index] = UInt8(truncatingIfNeeded: rest) | 0x80
            rest &>>= 7
        }
        unsafe start[byteCount &- 1] = UInt8(truncatingIfNeeded: rest)
    }

    @inline(__always)
    mutating func fixed32(_ value: UInt32) {
        reserve(4)
        position &-= 4
        unsafe UnsafeMutableRawPointer(buffer + position)
            .storeBytes(of: value.littleEndian, as: UInt32.self)
    }

    @inline(__always)
    mutating func fixed64(_ value: UInt64) {
        reserve(8)
        position &-= 8
        unsafe UnsafeMutableRawPointer(buffer + position)
            .storeBytes(of: value.littleEndian, as: UInt64.self)
    }

    mutating func append(_ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBufferPointer { bytes in unsafe append(bytes) }
    }

    mutating func append(_ text: String) {
        let written: Void? = unsafe text.utf8.withContiguousStorageIfAvailable { unsafe append($0) }
        if written != nil { return }
        // `withUTF8` is mutating, so it needs a variable.
        var text = text
        text.withUTF8 { bytes in unsafe append(bytes) }
    }

    private mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let start = bytes.baseAddress else { return }
        reserve(bytes.count)
        position &-= bytes.count
        // Safe: the room is reserved.
        unsafe (buffer + position).update(from: start, count: bytes.count)
    }

    /// Writes a tag. Call it after writing the value: the tag precedes the value in the output.
    @inline(__always)
    mutating func tag(_ number: UInt32, _ type: WireType) {
        varint(UInt64(Tag.make(number, type)))
    }
}
