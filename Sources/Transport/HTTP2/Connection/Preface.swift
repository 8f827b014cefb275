/// The beginning of a connection (RFC 9113 §3.4): the client sends 24 fixed bytes, and the first frame
/// of each side is SETTINGS.
enum Preface: Equatable, Sendable {
    /// A server waits for the client's fixed bytes.
    case awaitingMagic
    case awaitingSettings
    case done

    /// `PRI * HTTP/2.0`, two line ends, `SM`, two line ends. An HTTP/1 server rejects it.
    static let magic = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    init(role: Role) { self = role == .server ? .awaitingMagic : .awaitingSettings }
}

extension Preface {
    /// Checks the bytes that the peer sends before its first frame, as far as they have arrived. Returns
    /// false if more bytes are needed.
    mutating func receive(
        _ bytes: Span<UInt8>, at offset: inout Int
    ) throws(HTTP2Error) -> Bool {
        if self == .awaitingMagic {
            guard try receiveMagic(bytes, at: &offset) else { return false }
            self = .awaitingSettings
        }
        if self == .awaitingSettings { try Self.checkProtocol(of: bytes, at: offset) }
        return true
    }

    private func receiveMagic(
        _ bytes: Span<UInt8>, at offset: inout Int
    ) throws(HTTP2Error) -> Bool {
        let magic = Self.magic
        let count = min(magic.count, bytes.count - offset)
        for index in 0..<count where bytes[offset + index] != magic[index] {
            throw .connection(.protocolError, "the client does not speak HTTP/2")
        }
        guard count == magic.count else { return false }
        offset += count
        return true
    }

    /// Throws if the peer does not support HTTP/2. Otherwise its bytes would be read as the header of a frame
    /// of several megabytes.
    private static func checkProtocol(
        of bytes: Span<UInt8>, at offset: Int
    ) throws(HTTP2Error) {
        guard let header = FrameHeader(decoding: bytes, at: offset) else { return }
        guard header.type != .settings || header.streamID != .connection else { return }
        let isHTTP1 = bytes[offset] == UInt8(ascii: "H") && bytes[offset + 1] == UInt8(ascii: "T")
        throw .connection(
            .protocolError,
            isHTTP1 ? "the peer answers in HTTP/1" : "the peer does not speak HTTP/2")
    }

    /// §3.4: the first frame is SETTINGS without ACK.
    mutating func receiveFirstFrame(_ header: FrameHeader) throws(HTTP2Error) {
        guard header.type == .settings, !header.flags.contains(.ack) else {
            throw .connection(.protocolError, "the first frame is not SETTINGS")
        }
        self = .done
    }
}
