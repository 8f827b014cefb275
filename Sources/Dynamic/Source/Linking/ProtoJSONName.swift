/// The JSON names that fields have when they declare none.
enum ProtoJSONName {
    /// `response_size` becomes `responseSize`.
    static func of(_ field: String) -> String {
        var bytes: [UInt8] = []
        var raisesNext = false
        for byte in field.utf8 {
            if byte == UInt8(ascii: "_") {
                raisesNext = true
            } else {
                let isLower = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                bytes.append(raisesNext && isLower ? byte - 32 : byte)
                raisesNext = false
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
