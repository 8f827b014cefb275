import SwiftletDynamic
import SwiftletTransport

/// A message of channelz whose fields are read by their names.
///
/// Texts come from a server, so control characters are replaced before they are printed on a
/// terminal.
struct ChannelzMessage {
    let message: DynamicMessage

    /// The value of an integer field; 0 if it is absent.
    func integer(_ name: String) throws -> Int64 {
        switch try message.get(name) {
        case .int64(let value): value
        case .int32(let value): Int64(value)
        case .uint32(let value): Int64(value)
        default: 0
        }
    }

    /// Empty if the field is absent.
    func text(_ name: String) throws -> String {
        guard case .string(let text) = try message.get(name) else { return "" }
        return PeerText.clean(text)
    }

    /// Empty if the field is absent.
    func bytes(_ name: String) throws -> [UInt8] {
        guard case .bytes(let bytes) = try message.get(name) else { return [] }
        return bytes
    }

    /// The name of an enum's value, or its number if the schema has no name for it.
    func enumeration(_ name: String) throws -> String {
        guard case .enumeration(let number) = try message.get(name) else { return "" }
        return message.schema.field(name)?.enumeration?.name(number) ?? "\(number)"
    }

    /// A field that is a message; nil if it is absent.
    func child(_ name: String) throws -> ChannelzMessage? {
        guard try message.has(name), case .message(let child) = try message.get(name) else {
            return nil
        }
        return ChannelzMessage(message: child)
    }

    /// The elements of a field that is a list of messages.
    func children(_ name: String) throws -> [ChannelzMessage] {
        guard case .list(let values) = try message.get(name) else { return [] }
        return values.compactMap { value in
            if case .message(let child) = value { ChannelzMessage(message: child) } else { nil }
        }
    }

    /// A field that is a timestamp, in the form of RFC 3339; nil if it is absent or not a time.
    func time(_ name: String) throws -> String? {
        guard let time = try child(name) else { return nil }
        return TimestampText.text(
            seconds: try time.integer("seconds"),
            nanos: Int32(clamping: try time.integer("nanos")))
    }
}
