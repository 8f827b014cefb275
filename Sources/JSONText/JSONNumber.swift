/// Numbers as JSON spells them.
package enum JSONNumber {
    /// Where the number at the start of `text` ends. If it is not whole, a digit is missing there. A leading zero ends
    /// the number, and then another digit must not follow.
    package static func end(in text: ArraySlice<UInt8>) -> (index: Int, isWhole: Bool) {
        var index = text.startIndex
        func digits() -> Bool {
            let start = index
            while index < text.endIndex, UInt8(ascii: "0")...UInt8(ascii: "9") ~= text[index] {
                index += 1
            }
            return index > start
        }
        func take(_ byte: UInt8) -> Bool {
            guard index < text.endIndex, text[index] == byte else { return false }
            index += 1
            return true
        }
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")), !digits() { return (index, false) }
        if take(UInt8(ascii: ".")), !digits() { return (index, false) }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            if !digits() { return (index, false) }
        }
        return (index, true)
    }
}
