import SwiftletMessages

// A message set: a group of number 1 for each extension, with the extension's number in field 2 and its
// message in field 3.
extension DynamicDecoder {
    private static var itemStart: UInt32 { Tag.make(1, .startGroup) }
    private static var itemEnd: UInt32 { Tag.make(1, .endGroup) }

    mutating func messageSet(
        _ type: Int, into contents: inout DynamicContents
    ) throws(WireError) {
        try wire.nextTag()
        while wire.tag != Tag.end {
            if wire.openGroup != 0, wire.tag == Tag.make(wire.openGroup, .endGroup) { return }
            if wire.tag == Self.itemStart {
                try item(type, into: &contents)
                try wire.nextTag()
            } else if let field = extensionMessage(wire.tag &>> 3, of: type),
                wire.tag & 7 == WireType.lengthDelimited.rawValue
            {
                // The form of an ordinary message is accepted as well.
                try merge(field, into: &contents)
                try wire.nextTag()
            } else {
                let unknown = unsafe try wire.skipRun()
                if wire.keepsUnknownFields { unsafe contents.appendUnknown(unknown) }
            }
        }
    }

    /// Reads an item up to its end tag. Its two fields come in any order. If one is repeated, the first one counts, as
    /// in the implementation in C++.
    private mutating func item(
        _ type: Int, into contents: inout DynamicContents
    ) throws(WireError) {
        let start = unsafe wire.tagStart
        var number: UInt32?
        var message: UnsafePointer<UInt8>?
        unsafe message = nil
        try wire.nextTag()
        while wire.tag != Self.itemEnd {
            if wire.tag == Tag.end { throw WireError(.truncated, offset: wire.offset, path: [1]) }
            if wire.tag == Tag.make(2, .varint) {
                let value = UInt32(truncatingIfNeeded: try wire.varint())
                number = number ?? value
                try wire.nextTag()
            } else if wire.tag == Tag.make(3, .lengthDelimited) {
                unsafe message = message ?? wire.cursor
                let byteCount = try wire.length()
                unsafe wire.cursor += byteCount
                try wire.nextTag()
            } else {
                _ = unsafe try wire.skipRun()
            }
        }
        let end = unsafe wire.cursor
        if let number, let field = extensionMessage(number, of: type), unsafe message != nil {
            // Safe: the cursor returns to an earlier position in the same buffer.
            unsafe wire.cursor = message.unsafelyUnwrapped
            try merge(field, into: &contents)
            unsafe wire.cursor = end
        } else {
            unsafe wire.tagStart = start
            keepAsUnknown(in: &contents)
        }
    }

    private func extensionMessage(_ number: UInt32, of type: Int) -> Int? {
        guard let index = pool.extensionIndex(of: type, number: number),
            layouts[index].type == .message, layouts[index].isSingular
        else { return nil }
        return index
    }

    private mutating func merge(
        _ field: Int, into contents: inout DynamicContents
    ) throws(WireError) {
        try singleMessage(layouts[field], field, into: &contents)
    }
}
