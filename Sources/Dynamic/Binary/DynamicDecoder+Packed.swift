import SwiftletMessages

// Lists of numbers in one field.
extension DynamicDecoder {
    mutating func packed(
        _ layout: FieldLayout, into values: inout [DynamicValue],
        _ contents: inout DynamicContents
    ) throws(WireError) {
        let byteCount = try wire.length()
        let outerEnd = unsafe wire.end
        unsafe wire.end = wire.cursor + byteCount
        try numbers(layout, into: &values, &contents)
        unsafe wire.end = outerEnd
    }

    /// The switch over the type runs once for all numbers.
    private mutating func numbers(
        _ layout: FieldLayout, into values: inout [DynamicValue],
        _ contents: inout DynamicContents
    ) throws(WireError) {
        switch layout.type {
        case .double: try fixed64(&values) { .double(Double(bitPattern: $0)) }
        case .fixed64: try fixed64(&values) { .uint64($0) }
        case .sfixed64: try fixed64(&values) { .int64(Int64(bitPattern: $0)) }
        case .float: try fixed32(&values) { .float(Float(bitPattern: $0)) }
        case .fixed32: try fixed32(&values) { .uint32($0) }
        case .sfixed32: try fixed32(&values) { .int32(Int32(bitPattern: $0)) }
        case .int64: try varints(&values) { .int64(Int64(bitPattern: $0)) }
        case .uint64: try varints(&values) { .uint64($0) }
        case .int32: try varints(&values) { .int32(Int32(truncatingIfNeeded: $0)) }
        case .uint32: try varints(&values) { .uint32(UInt32(truncatingIfNeeded: $0)) }
        case .bool: try varints(&values) { .bool($0 != 0) }
        case .sint32: try varints(&values) { .int32(Varint.unZigZag32($0)) }
        case .sint64: try varints(&values) { .int64(Varint.unZigZag($0)) }
        case .enumeration: try enumerations(layout, into: &values, &contents)
        case .string, .bytes, .message, .group: assertionFailure("not packable")
        }
    }

    // The added capacity is enough for all elements. `varintCount()` counts the bytes below 128: each varint
    // ends with its only such byte. The other values have a fixed size. If an array already has elements, its
    // capacity grows by a factor.

    @inline(__always)
    private mutating func varints(
        _ values: inout [DynamicValue], _ make: (UInt64) -> DynamicValue
    ) throws(WireError) {
        try values.append(addingCapacity: wire.varintCount()) { output throws(WireError) in
            var wire = self.wire
            defer { self.wire = wire }
            while unsafe wire.cursor < wire.end { output.append(make(try wire.varint())) }
        }
    }

    @inline(__always)
    private mutating func fixed32(
        _ values: inout [DynamicValue], _ make: (UInt32) -> DynamicValue
    ) throws(WireError) {
        let count = unsafe (wire.end - wire.cursor) / 4
        try values.append(addingCapacity: count) { output throws(WireError) in
            while unsafe wire.cursor < wire.end { output.append(make(try wire.fixed32())) }
        }
    }

    @inline(__always)
    private mutating func fixed64(
        _ values: inout [DynamicValue], _ make: (UInt64) -> DynamicValue
    ) throws(WireError) {
        let count = unsafe (wire.end - wire.cursor) / 8
        try values.append(addingCapacity: count) { output throws(WireError) in
            while unsafe wire.cursor < wire.end { output.append(make(try wire.fixed64())) }
        }
    }

    private mutating func enumerations(
        _ layout: FieldLayout, into values: inout [DynamicValue],
        _ contents: inout DynamicContents
    ) throws(WireError) {
        // Only for the first part of a list. If each part reserved capacity, each would copy the list.
        if values.isEmpty { values.reserveCapacity(wire.varintCount()) }
        while unsafe wire.cursor < wire.end {
            let number = Int32(truncatingIfNeeded: try wire.varint())
            if isKnown(number, layout) {
                values.append(.enumeration(number))
            } else if wire.keepsUnknownFields {
                contents.appendUnknown(layout.number, number)
            }
        }
    }
}
