import SwiftletCore
import SwiftletMessages

extension Method where Request: Message, Reply: Message {
    /// A method of the example services.
    init(bundled path: String, _ shape: CallShape) {
        self.init(trusted: path, shape, request: .bundled, reply: .bundled)
    }
}

extension Codec where Value: Message {
    fileprivate static var bundled: Codec {
        Codec(
            encode: { value, prefixByteCount in value.encoded(reservingPrefix: prefixByteCount) },
            decode: { bytes in try Value(decoding: bytes) })
    }
}
