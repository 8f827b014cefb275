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
        // Enough for all elements: each varint ends with its only byte below 128.
        let count =
            switch layout.type.wireType {
            case .fixed32: byteCount / 4
            case .fixed64: byteCount / 8
            default: wire.varintCount()
            }
        try values.append(addingCapacity: count) { output throws(WireError) in
            while unsafe wire.cursor < wire.end {
                guard layout.isClosedEnum else {
                    if let value = try scalar(layout) { output.append(value) }
                    continue
                }
                let number = Int32(truncatingIfNeeded: try wire.varint())
                if isKnown(number, layout) {
                    output.append(.enumeration(number))
                } else if wire.keepsUnknownFields {
                    contents.appendUnknown(layout.number, number)
                }
            }
        }
        unsafe wire.end = outerEnd
    }
}
