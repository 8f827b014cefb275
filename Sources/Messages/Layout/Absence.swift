/// A test of eight bytes of a message. If it holds, a field is not written. Most fields of most messages are not, and the
/// test needs not know what the field is.
struct Absence {
    /// Where the eight bytes begin, from the start of the message.
    private let offset: UInt32
    /// Which of the bits count.
    private let mask: UInt64
    /// Those bits of a field that is not written. A field with other bits may be written or not.
    private let bits: UInt64

    /// Never holds.
    static var unknown: Absence { Absence(offset: 0, mask: 0, bits: 1) }

    private init(offset: UInt32, mask: UInt64, bits: UInt64) {
        self.offset = offset
        self.mask = mask
        self.bits = bits
    }

    var isKnown: Bool { mask != 0 }

    /// Whether the field is certainly not written. The message must have at least eight bytes.
    @inline(__always)
    func holds(at message: UnsafeRawPointer) -> Bool {
        // Safe: the eight bytes are a part of the message.
        unsafe (message + Int(offset)).loadUnaligned(as: UInt64.self) & mask == bits
    }
}

extension Absence {
    /// - Parameters:
    ///   - messageByteCount: The size of the message's struct.
    ///   - property: Where in the struct the property is.
    init(
        _ code: FieldCode, _ shape: FieldShape, _ detail: FieldDetail?, in messageByteCount: Int,
        at property: Range<Int>
    ) {
        let known: (bytes: Range<Int>, bits: UInt64)? =
            switch (shape, code) {
            case (.singular, .string): Self.emptyText(at: property)
            case (.singular, .bytes), (.list, _), (.packedList, _), (.indirect, _):
                (property, Self.emptyArray)
            case (.singular, _): (property, 0)
            case (.optional, .message): Self.noMessage(detail as? MessageType, at: property)
            default: nil
            }
        // The mask is that of a little-endian machine.
        guard let known, known.bytes.count <= Self.width, messageByteCount >= Self.width,
            1.littleEndian == 1
        else {
            self = .unknown
            return
        }
        // The eight bytes end with the message, if the property does.
        let start = min(known.bytes.lowerBound, messageByteCount - Self.width)
        let shift = 8 * UInt64(known.bytes.lowerBound - start)
        let unused = 8 * UInt64(Self.width - known.bytes.count)
        self.init(offset: UInt32(start), mask: (.max >> unused) << shift, bits: known.bits << shift)
    }

    static var width: Int { MemoryLayout<UInt64>.size }

    /// The second word of a string says that it is short, and how many bytes it has. Nil where strings have another size.
    private static func emptyText(at property: Range<Int>) -> (Range<Int>, UInt64)? {
        guard property.count == 2 * width else { return nil }
        let bits = unsafe withUnsafeBytes(of: "") {
            unsafe $0.load(fromByteOffset: width, as: UInt64.self)
        }
        return (property.dropFirst(width), bits)
    }

    private static func noMessage(
        _ type: MessageType?, at property: Range<Int>
    ) -> (Range<Int>, UInt64)? {
        guard let (offset, bits) = type?.nilWord() else { return nil }
        return (property.dropFirst(offset).prefix(width), bits)
    }

    /// All empty arrays without memory of their own refer to one object.
    private static var emptyArray: UInt64 {
        unsafe withUnsafeBytes(of: [UInt8]()) { unsafe UInt64($0.load(as: UInt.self)) }
    }
}
