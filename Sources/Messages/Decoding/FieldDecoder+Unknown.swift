// Fields that are skipped.
extension FieldDecoder {
    /// Skips the current field and all that directly follow with the same tag, and reads the next
    /// tag. Returns the skipped bytes. One call skips all of them, because otherwise each field
    /// would cost another visit of the message.
    package mutating func skipRun() throws(WireError) -> UnsafeBufferPointer<UInt8> {
        let first = unsafe tagStart
        let unknown = tag
        var last = unsafe cursor
        repeat {
            try skipValue(depthLeft: depthLeft)
            unsafe last = cursor
            try nextTag()
        } while tag == unknown
        return unsafe UnsafeBufferPointer(start: first, count: last - first)
    }

    private mutating func skipValue(depthLeft: Int) throws(WireError) {
        guard tag >= 8, let type = WireType(rawValue: tag & 7) else {
            throw WireError(.invalidTag, offset: unsafe tagStart - start)
        }
        switch type {
        case .varint: _ = try varint()
        case .fixed64: _ = try fixed64()
        case .fixed32: _ = try fixed32()
        case .lengthDelimited:
            let count = try length()
            unsafe cursor += count
        case .startGroup: try skipGroup(depthLeft: depthLeft)
        case .endGroup: throw WireError(.unmatchedGroup, offset: unsafe tagStart - start)
        }
    }

    private mutating func skipGroup(depthLeft: Int) throws(WireError) {
        guard depthLeft > 0 else { throw failure(.tooDeep) }
        let number = tag &>> 3
        do throws(WireError) {
            try nextTag()
            while tag != Tag.make(number, .endGroup) {
                guard tag != Tag.end else { throw WireError(.truncated, offset: offset) }
                try skipValue(depthLeft: depthLeft - 1)
                try nextTag()
            }
        } catch {
            throw error.inside(number)
        }
    }

    /// Estimates how many consecutive fields have the current tag, to reserve capacity for a list.
    /// Counts only length-delimited values of less than 128 bytes. The decoded result does not
    /// depend on the estimate.
    func runLength() -> Int {
        guard tag < 0x80, tag & 7 == WireType.lengthDelimited.rawValue else { return 1 }
        var count = 1
        var next = unsafe cursor
        while unsafe next < end {
            // Safe: `next` moves by at most the number of remaining bytes.
            let length = unsafe Int(next.pointee)
            let header = 1
            guard length < 0x80, unsafe end - next > length + header else { break }
            unsafe next += length + header
            guard unsafe UInt32(next.pointee) == tag else { break }
            unsafe next += 1
            count &+= 1
        }
        return count
    }
}
