import SwiftletMessages

// A message set: a group of number 1 for each extension, with the extension's number in field 2 and its
// message in field 3.
extension DynamicDecoder {
    private static var itemStart: UInt32 { Tag.make(1, .startGroup) }
    private static var itemEnd: UInt32 { Tag.make(1, .endGroup) }

    mutating func messageSet(into storage: DynamicStorage) throws(WireError) {
        try wire.nextTag()
        while wire.tag != Tag.end {
            if wire.openGroup != 0, wire.tag == Tag.make(wire.openGroup, .endGroup) { return }
            if wire.tag == Self.itemStart {
                try item(into: storage)
                try wire.nextTag()
            } else if let field = extensionMessage(wire.tag &>> 3, of: storage),
                wire.tag & 7 == WireType.lengthDelimited.rawValue
            {
                // The form of an ordinary message is accepted as well.
                try merge(field, into: storage)
                try wire.nextTag()
            } else {
                let unknown = unsafe try wire.skipRun()
                if wire.keepsUnknownFields { unsafe storage.unknown.append(contentsOf: unknown) }
            }
        }
    }

    /// Reads an item up to its end tag. Its two fields come in any order.
    private mutating func item(into storage: DynamicStorage) throws(WireError) {
        let start = unsafe wire.tagStart
        var number: UInt32?
        var message: UnsafePointer<UInt8>?
        unsafe message = nil
        try wire.nextTag()
        while wire.tag != Self.itemEnd {
            if wire.tag == Tag.end { throw WireError(.truncated, offset: wire.offset, path: [1]) }
            if wire.tag == Tag.make(2, .varint) {
                number = UInt32(truncatingIfNeeded: try wire.varint())
                try wire.nextTag()
            } else if wire.tag == Tag.make(3, .lengthDelimited) {
                unsafe message = wire.cursor
                let byteCount = try wire.length()
                unsafe wire.cursor += byteCount
                try wire.nextTag()
            } else {
                _ = unsafe try wire.skipRun()
            }
        }
        let end = unsafe wire.cursor
        if let number, let field = extensionMessage(number, of: storage), unsafe message != nil {
            // Safe: it is where the cursor was before.
            unsafe wire.cursor = message.unsafelyUnwrapped
            try merge(field, into: storage)
            unsafe wire.cursor = end
        } else {
            unsafe wire.tagStart = start
            keepAsUnknown(in: storage)
        }
    }

    private func extensionMessage(_ number: UInt32, of storage: DynamicStorage) -> Int? {
        guard let index = pool.extensionIndex(of: storage.type, number: number),
            pool.layouts[index].type == .message, pool.layouts[index].isSingular
        else { return nil }
        return index
    }

    private mutating func merge(_ field: Int, into storage: DynamicStorage) throws(WireError) {
        let layout = pool.layouts[field]
        try storage.update(
            layout.number, field: field,
            initial: .message(DynamicMessage(pool: pool, type: layout.targetIndex))
        ) { value throws(WireError) in
            try value.mergeMessage { child throws(WireError) in
                try nested(layout.number, into: child)
            }
        }
    }
}
