import SwiftletMessages

/// Encodes contents into the binary format, the last field first.
struct DynamicEncoder: ~Copyable {
    var output: BackwardWriter
    private let layouts: [FieldLayout]
    private let messageLayouts: [MessageLayout]
    private let options: EncodingOptions
    /// True if a message with required fields was written. A required field can then be missing.
    private(set) var needsRequiredCheck = false

    init(pool: SchemaPool, options: EncodingOptions) {
        output = BackwardWriter(capacity: 256)
        layouts = pool.layouts
        messageLayouts = pool.messageLayouts
        self.options = options
    }

    mutating func fields(of contents: DynamicContents) {
        if options.keepsUnknownFields, contents.hasUnknown { output.append(contents.unknown) }
        let layout = messageLayouts[contents.type]
        let isMessageSet = layout.isMessageSet
        if !layout.required.isEmpty { needsRequiredCheck = true }
        contents.entries.lendBackward { entry in
            let field = entry.value.field
            guard field >= 0 else { return }
            if isMessageSet, layouts[field].type == .message, layouts[field].isSingular {
                item(field, entry.value.value)
            } else {
                self.field(field, entry.value.value)
            }
        }
    }

    // A field is passed as its index. To pass its layout would cost more than to look it up.

    private mutating func field(_ field: Int, _ value: DynamicValue) {
        switch value {
        case .list(let values): list(field, values)
        case .map(let values): map(field, values)
        case .message(let message): self.message(field, message)
        default:
            self.value(layouts[field].type, value)
            output.tag(layouts[field].number, layouts[field].type.wireType)
        }
    }

    private mutating func message(_ field: Int, _ message: DynamicMessage) {
        let number = layouts[field].number
        if layouts[field].type == .group {
            output.tag(number, .endGroup)
            message.withContents { fields(of: $0) }
            output.tag(number, .startGroup)
        } else {
            nested(message)
            output.tag(number, .lengthDelimited)
        }
    }

    /// Writes a message with its length before it.
    private mutating func nested(_ message: DynamicMessage) {
        let end = output.count
        message.withContents { fields(of: $0) }
        output.varint(UInt64(output.count - end))
    }

    private mutating func list(_ field: Int, _ values: [DynamicValue]) {
        guard layouts[field].isPacked else {
            return values.lendBackward { self.field(field, $0.value) }
        }
        let end = output.count
        let type = layouts[field].type
        values.lendBackward { value(type, $0.value) }
        output.varint(UInt64(output.count - end))
        output.tag(layouts[field].number, .lengthDelimited)
    }

    private mutating func map(_ field: Int, _ values: [DynamicMapKey: DynamicValue]) {
        guard let entry = messageLayouts[layouts[field].targetIndex].entry else { return }
        let key = Int(entry.key)
        let value = Int(entry.value)
        if options.isDeterministic {
            for (one, other) in values.inOrder(by: { $0.key > $1.key }) {
                self.entry(field, (key, one), (value, other))
            }
        } else {
            for (one, other) in values { self.entry(field, (key, one), (value, other)) }
        }
    }

    private mutating func entry(
        _ field: Int, _ key: (field: Int, key: DynamicMapKey),
        _ value: (field: Int, value: DynamicValue)
    ) {
        let end = output.count
        self.field(value.field, value.value)
        self.field(key.field, key.key.value)
        output.varint(UInt64(output.count - end))
        output.tag(layouts[field].number, .lengthDelimited)
    }

    /// Writes an extension of a message set.
    private mutating func item(_ field: Int, _ value: DynamicValue) {
        guard case .message(let message) = value else { return }
        output.tag(1, .endGroup)
        nested(message)
        output.tag(3, .lengthDelimited)
        output.varint(UInt64(layouts[field].number))
        output.tag(2, .varint)
        output.tag(1, .startGroup)
    }

    /// Writes a value without its tag.
    @inline(__always)
    private mutating func value(_ type: FieldType, _ value: DynamicValue) {
        switch value {
        case .bool(let value): output.byte(value ? 1 : 0)
        case .enumeration(let value): output.varint(UInt64(bitPattern: Int64(value)))
        case .int32(let value):
            switch type {
            case .sfixed32: output.fixed32(UInt32(bitPattern: value))
            case .sint32: output.varint(Varint.zigZag(Int64(value)))
            default: output.varint(UInt64(bitPattern: Int64(value)))
            }
        case .int64(let value):
            switch type {
            case .sfixed64: output.fixed64(UInt64(bitPattern: value))
            case .sint64: output.varint(Varint.zigZag(value))
            default: output.varint(UInt64(bitPattern: value))
            }
        case .uint32(let value):
            if type == .fixed32 { output.fixed32(value) } else { output.varint(UInt64(value)) }
        case .uint64(let value):
            if type == .fixed64 { output.fixed64(value) } else { output.varint(value) }
        case .float(let value): output.fixed32(value.bitPattern)
        case .double(let value): output.fixed64(value.bitPattern)
        case .string(let value):
            let end = output.count
            output.append(value)
            output.varint(UInt64(output.count - end))
        case .bytes(let value):
            output.append(value)
            output.varint(UInt64(value.count))
        // These are not values of one tag; `field` handles them.
        case .message, .list, .map: assertionFailure("not a scalar")
        }
    }
}

extension DynamicContents {
    /// Adds a number that is not a value of a closed enum to the unknown fields.
    mutating func appendUnknown(_ number: UInt32, _ value: Int32) {
        var writer = BackwardWriter(capacity: 16)
        writer.varint(UInt64(bitPattern: Int64(value)))
        writer.tag(number, .varint)
        let bytes = writer.bytes
        // Appended in place: a copy for each of many numbers would be quadratic.
        unsafe bytes.withUnsafeBufferPointer { unsafe appendUnknown($0) }
    }
}
