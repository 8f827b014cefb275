import SwiftletMessages

extension FieldDecoder {
    /// Skips a string. Fails if it is not UTF-8, as ``string()`` does.
    mutating func checkString() throws(WireError) {
        let start = unsafe cursor
        let count = try length()
        if isASCII(count) {
            unsafe cursor += count
        } else {
            unsafe cursor = start
            _ = try string()
        }
    }

    /// Whether the next `count` bytes are ASCII. The caller has checked that they are in the input.
    @inline(__always)
    private func isASCII(_ count: Int) -> Bool {
        var next = unsafe cursor
        let last = unsafe cursor + count
        while unsafe last - next >= 8 {
            let bytes = unsafe UnsafeRawPointer(next).loadUnaligned(as: UInt64.self)
            if bytes & 0x8080_8080_8080_8080 != 0 { return false }
            unsafe next += 8
        }
        while unsafe next < last {
            if unsafe next.pointee >= 0x80 { return false }
            unsafe next += 1
        }
        return true
    }
}
