/// Names in the form of the JSON mapping.
package enum JSONName {
    /// `foo_bar` becomes `fooBar`: each underscore is removed, and the letter after it becomes upper case.
    package static func ofField(_ name: String) -> String {
        var result: [UInt8] = []
        var isUpper = false
        for byte in name.utf8 {
            if byte == UInt8(ascii: "_") {
                isUpper = true
            } else {
                result.append(isUpper ? upper(byte) : byte)
                isUpper = false
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func upper(_ byte: UInt8) -> UInt8 {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte ? byte - 32 : byte
    }
}
