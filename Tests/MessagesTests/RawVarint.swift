/// A varint, made independently of the library.
func rawVarint(_ value: Int) -> [UInt8] {
    value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7f | 0x80)] + rawVarint(value >> 7)
}
