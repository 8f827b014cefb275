import SwiftletMessages

extension FieldDecoder {
    /// Returns how many consecutive length-delimited fields have the current tag, and where the last of them
    /// ends. The count is at least one, for the current field. A length beyond the end of the input ends the
    /// run.
    func run() -> (count: Int, end: UnsafePointer<UInt8>) {
        var ahead = self
        var result = unsafe (count: 1, end: cursor)
        guard tag & 7 == WireType.lengthDelimited.rawValue else { return unsafe result }
        do throws(WireError) {
            try unsafe ahead.cursor += ahead.length()
            unsafe result.end = ahead.cursor
            try ahead.nextTag()
            while ahead.tag == tag {
                try unsafe ahead.cursor += ahead.length()
                unsafe result = (result.count &+ 1, ahead.cursor)
                try ahead.nextTag()
            }
        } catch {
            // The decoder finds the same error when it reads these bytes, and throws it.
            return unsafe result
        }
        return unsafe result
    }
}
