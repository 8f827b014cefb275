import SwiftletMessages

/// Encodes contents into the binary format, the last field first.
struct DynamicEncoder: ~Copyable {
    var output: BackwardWriter
    private let layouts: [FieldLayout]
    private let messageLayouts: [MessageLayout]
    private let options: EncodingOptions
    /// Whether a message was written that has required fields, so that one of them can be missing.
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
        contents.withEntries { entries in
            var index = entries.count
            while index > 0 {
                index &-= 1
                let layout = layouts[Int(entries[index].field)]
                if isMessageSet, layout.type == .message, layout.isSingular {
                    item(layout, entries[index].value)
                } else {
                    field(layout, entries[index].value)
                }
            }
        }
    }

    @inline(__always)
    private mutating func field(_ layout: FieldLayout, _ value: DynamicValue) {
        switch value {
        case .list(let values): list(layout, values)
        case .map(let values): map(layout, values)
        case .message(let message): self.message(layout, message)
        default:
            self.value(layout.type, value)
            output.tag(layout.number, layout.type.wireType)
        }
    }

    private mutating func message(_ layout: FieldLayout, _ message: DynamicMessage) {
        if layout.type == .group {
            output.tag(layout.number, .endGroup)
            message.withContents { fields(of: $0) }
            output.tag(layout.number, .startGroup)
        } else {
            nested(message)
            output.tag(layout.number, .lengthDelimited)
        }
    }

    /// Writes a message with its length before it.
    private mutating func nested(_ message: DynamicMessage) {
        let end = output.count
        message.withContents { fields(of: $0) }
        output.varint(UInt64(output.count - end))
    }

    /// Calls `body` with each element from the last to the first. The elements are not copied.
    @inline(__always)
    private mutating func backward(
        _ values: [DynamicValue], _ body: (inout DynamicEncoder, DynamicValue) -> Void
    ) {
        // The span of an array needs macOS 26. This shares the array's memory.
        let contiguous = ContiguousArray(values)
        let elements = contiguous.span
        var index = elements.count
        while index > 0 {
            index &-= 1
            body(&self, elements[index])
        }
    }

    private mutating func list(_ layout: FieldLayout, _ values: [DynamicValue]) {
        guard layout.isPacked else {
            return backward(values) { encoder, value in encoder.field(layout, value) }
        }
        let end = output.count
        backward(values) { encoder, value in encoder.value(layout.type, value) }
        output.varint(UInt64(output.count - end))
        output.tag(layout.number, .lengthDelimited)
    }

    private mutating func map(_ layout: FieldLayout, _ values: [DynamicMapKey: DynamicValue]) {
        guard let entry = messageLayouts[layout.targetIndex].entry else { return }
        let key = layouts[Int(entry.key)]
        let value = layouts[Int(entry.value)]
        if options.isDeterministic {
            for (one, other) in values.sorted(by: { $0.key > $1.key }) {
                self.entry(layout, (key, one), (value, other))
            }
        } else {
            for (one, other) in values { self.entry(layout, (key, one), (value, other)) }
        }
    }

    private mutating func entry(
        _ field: FieldLayout, _ key: (FieldLayout, DynamicMapKey),
        _ value: (FieldLayout, DynamicValue)
    ) {
        let end = output.count
        self.field(value.0, value.1)
        self.field(key.0, key.1.value)
        output.varint(UInt64(output.count - end))
        output.tag(field.number, .lengthDelimited)
    }

    /// Writes an extension of a message set.
    private mutating func item(_ layout: FieldLayout, _ value: DynamicValue) {
        guard case .message(let message) = value else { return }
        output.tag(1, .endGroup)
        nested(message)
        output.tag(3, .lengthDelimited)
        output.varint(UInt64(layout.number))
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
    /// Adds a number that a closed enum does not have to the unknown fields.
    mutating func appendUnknown(_ number: UInt32, _ value: Int32) {
        var writer = BackwardWriter(capacity: 16)
        writer.varint(UInt64(bitPattern: Int64(value)))
        writer.tag(number, .varint)
        unknown += writer.bytes
    }
}
