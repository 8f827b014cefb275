public import Foundation
public import SwiftletCore
public import SwiftletMessages
import SwiftletTransport

extension Metadata {
    /// The first bytes for `name`, which ends in `-bin`, or nil.
    public func data(for name: String) -> Data? { bytes(for: name).map { Data($0) } }

    /// Appends bytes under a name that ends in `-bin`.
    public mutating func append(_ data: Data, for name: String) {
        append(bytes: Array(data), for: name)
    }
}

extension Message {
    /// Decodes a message. Throws a `WireError` if the bytes are not one.
    public init(decoding data: Data, options: DecodingOptions = DecodingOptions()) throws(WireError)
    {
        try self.init(decoding: Array(data), options: options)
    }

    /// The encoded message.
    public func encodedData(options: EncodingOptions = EncodingOptions()) -> Data {
        Data(encoded(options: options))
    }
}

extension Codec where Value == Data {
    /// Passes the bytes of messages on as they are.
    public static var data: Codec {
        Codec(
            encode: { data, prefixByteCount in
                [UInt8](repeating: 0, count: prefixByteCount) + data
            },
            decode: { bytes in Data([UInt8](copying: bytes)) })
    }
}
