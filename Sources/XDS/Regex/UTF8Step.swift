/// Reads UTF-8 one code point at a time.
enum UTF8Step {
    /// What a byte counts as that is not a part of valid UTF-8. No set has it.
    static let invalid: UInt32 = .max

    /// The code point at the position, and its width in bytes. The position is before the end.
    static func decode(_ text: Span<UInt8>, at position: Int) -> (scalar: UInt32, width: Int) {
        let first = text[position]
        if first < 0x80 { return (UInt32(first), 1) }
        let (width, lowest): (Int, UInt32)
        switch first {
        case 0xc2...0xdf: (width, lowest) = (2, 0x80)
        case 0xe0...0xef: (width, lowest) = (3, 0x800)
        case 0xf0...0xf4: (width, lowest) = (4, 0x1_0000)
        default: return (invalid, 1)
        }
        guard position + width <= text.count else { return (invalid, 1) }
        var scalar = UInt32(first) & (0x7f >> UInt32(width))
        for offset in 1..<width {
            let byte = text[position + offset]
            guard byte & 0xc0 == 0x80 else { return (invalid, 1) }
            scalar = scalar << 6 | UInt32(byte & 0x3f)
        }
        guard scalar >= lowest, Unicode.Scalar(scalar) != nil else { return (invalid, 1) }
        return (scalar, width)
    }
}
