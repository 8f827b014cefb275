extension Span<UInt8> {
    /// The 16-bit big-endian integer at `offset`. Traps when it would read past the end.
    func uint16(at offset: Int) -> UInt16 {
        UInt16(self[offset]) << 8 | UInt16(self[offset + 1])
    }

    /// The 24-bit big-endian integer at `offset`. Traps when it would read past the end.
    func uint24(at offset: Int) -> UInt32 {
        UInt32(self[offset]) << 16 | UInt32(self[offset + 1]) << 8 | UInt32(self[offset + 2])
    }

    /// The 32-bit big-endian integer at `offset`. Traps when it would read past the end.
    package func uint32(at offset: Int) -> UInt32 {
        UInt32(self[offset]) << 24 | uint24(at: offset + 1)
    }
}
