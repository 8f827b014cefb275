import SwiftletMessages

// Checks the fields of a message. Throws the errors that reading them would throw, but stores no values.
extension DynamicDecoder {
    mutating func checkFields(of message: Int) throws(WireError) {
        let layout = messageLayouts[message]
        if layout.isMessageSet { return try checkMessageSet(message) }
        if !layout.required.isEmpty { needsRequiredCheck = true }
        try wire.nextTag()
        while wire.tag != Tag.end {
            let index = fieldIndex(wire.tag &>> 3, message, layout)
            if index >= 0, try check(layouts[index]) { continue }
            // `openGroup` is 0 outside of a group. The tag for the end of group 0 is not valid.
            if wire.openGroup != 0, wire.tag == Tag.make(wire.openGroup, .endGroup) { return }
            _ = unsafe try wire.skipRun()
        }
    }

    /// Message sets are rare, so a message set is read, and the result is dropped.
    private mutating func checkMessageSet(_ message: Int) throws(WireError) {
        let outer = nesting
        nesting = .read
        defer { nesting = outer }
        var contents = DynamicContents(pool: pool, type: message)
        try messageSet(message, into: &contents)
    }

    /// Checks the field whose tag was read last, and then reads the next tag. Returns false, and reads nothing, if the
    /// field cannot have the wire type of the tag.
    @inline(__always)
    private mutating func check(_ layout: FieldLayout) throws(WireError) -> Bool {
        let type = wire.tag & 7
        if type == layout.type.wireType.rawValue {
            try checkValue(layout)
        } else if type == WireType.lengthDelimited.rawValue, layout.shape == .list,
            layout.type.isPackable
        {
            try checkPacked(layout)
        } else {
            return false
        }
        try wire.nextTag()
        return true
    }

    @inline(__always)
    private mutating func checkValue(_ layout: FieldLayout) throws(WireError) {
        switch layout.type.wireType {
        case .varint: _ = try wire.varint()
        case .fixed64: _ = try wire.fixed64()
        case .fixed32: _ = try wire.fixed32()
        default:
            switch layout.type {
            case .string where layout.validatesUTF8: try wire.checkString()
            case .message: try checkMessage(layout)
            case .group: try checkGroup(layout)
            default: unsafe wire.cursor += try wire.length()
            }
        }
    }

    /// Checks a message, or an entry of a map, which is a message of two fields.
    private mutating func checkMessage(_ layout: FieldLayout) throws(WireError) {
        // If an entry has no value, its value is an empty message. The required fields of that message are missing.
        if layout.shape == .map, layout.needsRequiredCheck { needsRequiredCheck = true }
        try nested(layout) { decoder, _ throws(WireError) in
            try decoder.checkFields(of: layout.targetIndex)
        }
    }

    private mutating func checkGroup(_ layout: FieldLayout) throws(WireError) {
        try group(layout) { decoder throws(WireError) in
            try decoder.checkFields(of: layout.targetIndex)
        }
    }

    private mutating func checkPacked(_ layout: FieldLayout) throws(WireError) {
        let byteCount = try wire.length()
        let outerEnd = unsafe wire.end
        unsafe wire.end = wire.cursor + byteCount
        while unsafe wire.cursor < wire.end { try checkValue(layout) }
        unsafe wire.end = outerEnd
    }
}
