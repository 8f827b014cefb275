/// A type of the `.proto` language.
@usableFromInline
package enum FieldCode: UInt8, Sendable {
    case int32, int64, uint32, uint64, sint32, sint64, bool
    case fixed32, fixed64, sfixed32, sfixed64, float, double
    case enumeration, string, bytes, message, group

    package var wireType: WireType {
        switch self {
        case .int32, .int64, .uint32, .uint64, .sint32, .sint64, .bool, .enumeration: .varint
        case .fixed32, .sfixed32, .float: .fixed32
        case .fixed64, .sfixed64, .double: .fixed64
        case .string, .bytes, .message: .lengthDelimited
        case .group: .startGroup
        }
    }

    /// Whether a list of such values can follow one tag.
    package var isPackable: Bool { wireType != .lengthDelimited && wireType != .startGroup }
}

/// How a property stores a field, and when the field is written.
package enum FieldShape: UInt8, Sendable {
    /// A value that is not written when it is zero or empty.
    case singular
    /// A value that is not written when it has the field's own default.
    case defaulted
    /// A value that is always written.
    case required
    /// An optional.
    case optional
    /// A message in an ``Indirect``.
    case indirect
    /// An array whose values have a tag each.
    case list
    /// An array whose values follow one tag.
    case packedList
    /// A dictionary.
    case map
    /// A case of an optional enum.
    case oneof
}

/// The fields that most messages consist of, as the codec treats them: one value without presence, by how it is stored
/// and written, and an optional message.
enum PlainField: UInt8, Sendable {
    case int32, uint32, sint32, bits64, sint64, bool, fixed32, fixed64, string, bytes, message
    /// Any other field.
    case none

    init(_ code: FieldCode, _ shape: FieldShape) {
        self =
            switch (shape, code) {
            case (.singular, .int32), (.singular, .enumeration): .int32
            case (.singular, .uint32): .uint32
            case (.singular, .sint32): .sint32
            case (.singular, .int64), (.singular, .uint64): .bits64
            case (.singular, .sint64): .sint64
            case (.singular, .bool): .bool
            case (.singular, .fixed32), (.singular, .sfixed32), (.singular, .float): .fixed32
            case (.singular, .fixed64), (.singular, .sfixed64), (.singular, .double): .fixed64
            case (.singular, .string): .string
            case (.singular, .bytes): .bytes
            case (.optional, .message): .message
            default: .none
            }
    }
}

/// A field in a table: all that the codec must know of it, without the type of the message.
///
/// A plain value: the object is never freed, because the table is not.
@safe
package struct TableEntry {
    /// The tag as it is written. The wire type of a packed list is that of its bytes.
    let tag: UInt32
    /// The other tag with which a list of numbers may arrive; equal to `tag` for every other field.
    let otherTag: UInt32
    /// The bytes of the tag, the first one lowest.
    let tagBytes: UInt64
    let tagByteCount: UInt8
    package let shape: FieldShape
    package let code: FieldCode
    let plain: PlainField
    /// Where the property begins, in bytes from the start of the message.
    package let offset: UInt32
    /// Tells that the field is not written.
    let absence: Absence
    /// What the codec must know of the property's type, if that is not a type of the language.
    let detail: Unmanaged<FieldDetail>?

    package var number: UInt32 { tag &>> 3 }

    init(
        _ number: UInt32, _ code: FieldCode, _ shape: FieldShape, offset: Int,
        detail: FieldDetail?, _ absence: Absence = .unknown
    ) {
        let single = shape == .map ? WireType.lengthDelimited : code.wireType
        tag = Tag.make(number, shape == .packedList ? .lengthDelimited : single)
        let isNumberList = (shape == .packedList || shape == .list) && code.isPackable
        let other: WireType = shape == .packedList ? single : .lengthDelimited
        otherTag = isNumberList ? Tag.make(number, other) : tag
        (tagBytes, tagByteCount) = Self.bytes(of: tag)
        self.code = code
        self.shape = shape
        plain = PlainField(code, shape)
        self.offset = UInt32(offset)
        self.absence = absence
        unsafe self.detail = detail.map { unsafe Unmanaged.passRetained($0) }
    }

    /// The entry of a value inside a field. It is never freed, as the table.
    static func immortal(
        _ number: UInt32, _ code: FieldCode, _ shape: FieldShape, offset: Int, detail: FieldDetail?
    ) -> UnsafePointer<TableEntry> {
        let memory = UnsafeMutablePointer<TableEntry>.allocate(capacity: 1)
        unsafe memory.initialize(
            to: TableEntry(number, code, shape, offset: offset, detail: detail))
        return unsafe UnsafePointer(memory)
    }

    /// Follows the last field of a table. No field has its tag.
    static var end: TableEntry { TableEntry(tag: Tag.end) }

    private init(tag: UInt32) {
        self.tag = tag
        otherTag = tag
        (tagBytes, tagByteCount, offset) = (0, 0, 0)
        (code, shape, plain) = (.group, .required, .none)
        absence = .unknown
        unsafe detail = nil
    }

    /// The tag as a varint.
    private static func bytes(of tag: UInt32) -> (bytes: UInt64, count: UInt8) {
        var bytes: UInt64 = 0
        var rest = tag
        var count: UInt8 = 0
        while rest >= 0x80 {
            bytes |= UInt64(rest & 0x7f | 0x80) &<< (8 &* UInt64(count))
            rest &>>= 7
            count += 1
        }
        bytes |= UInt64(rest) &<< (8 &* UInt64(count))
        return (bytes, count + 1)
    }
}

extension TableEntry {
    /// The message type of a message field.
    @inline(__always)
    package var messageType: Unmanaged<MessageType> {
        unsafe unmanagedDetail(as: MessageType.self)
    }

    /// The detail of a field whose shape or code says of which type it is.
    @inline(__always)
    package func detail<Detail: FieldDetail>(as type: Detail.Type) -> Detail {
        // Safe: `FieldList` makes every entry with the detail of its shape and its code.
        unsafe unsafeDowncast(detail.unsafelyUnwrapped.takeUnretainedValue(), to: type)
    }

    /// The same, for the codec: not retained.
    @inline(__always)
    func unmanagedDetail<Detail: FieldDetail>(as type: Detail.Type) -> Unmanaged<Detail> {
        // Safe: as above.
        unsafe Unmanaged.fromOpaque(detail.unsafelyUnwrapped.toOpaque())
    }

    /// The table of the message type of a message field.
    @inline(__always)
    package var nestedTable: UnsafePointer<FieldTable> {
        unsafe messageType._withUnsafeGuaranteedRef { unsafe $0.table }
    }
}

/// What the codec must know of a property whose type only the program knows. Subclasses do the work that depends
/// on that type.
@usableFromInline
package class FieldDetail {
    init() {}

    /// The body of a function that every subclass overrides. Never runs: only objects of subclasses are made.
    final func abstract() -> Never { ProgramError.stop("\(type(of: self)) overrides too little") }
}
