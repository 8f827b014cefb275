/// The beginning of a connection (RFC 9113 §3.4): a client says twenty-four fixed octets, and the
/// first frame of either side is SETTINGS.
enum Preface: Hashable, Sendable {
    /// A server that waits for the client's octets.
    case awaitingMagic
    case awaitingSettings
    case done

    /// `PRI * HTTP/2.0`, two line ends, `SM`, two line ends: what an HTTP/1 server refuses.
    static let magic = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
}

extension Connection {
    mutating func sendPreface(now: Instant) {
        if configuration.role == .client { output.tail += Preface.magic }
        let settings = configuration.settings
        SettingsFrame(settings.entries(changedFrom: Settings())).encode(into: &output.tail)
        unacknowledgedSettings.append(settings)
        settingsDeadline = now + configuration.settingsTimeout

        // What arrives before the acknowledgement is held to the old limits; being generous a
        // moment early where ours are larger costs nothing.
        reader.maxPayloadByteCount = settings.maxFrameByteCount
        let connectionWindow = max(
            2 * Int(configuration.streamWindowByteCount), 4 * Int(receiveWindow.target))
        growConnectionWindow(to: min(connectionWindow, Int(Int32.max)))
    }

    /// Checks the client's first octets, as far as they have arrived.
    mutating func receiveMagic(
        _ octets: Span<UInt8>, at offset: inout Int
    ) throws(HTTP2Error) {
        let magic = Preface.magic
        let count = min(magic.count, octets.count - offset)
        for index in 0..<count where octets[offset + index] != magic[index] {
            throw .connection(.protocolError, "the client does not speak HTTP/2")
        }
        guard count == magic.count else { return }
        offset += count
        preface = .awaitingSettings
    }

    /// §3.4: the first frame is SETTINGS, and not their acknowledgement.
    mutating func receiveFirstFrame(_ header: FrameHeader) throws(HTTP2Error) {
        guard header.type == .settings, !header.flags.contains(.ack) else {
            throw .connection(.protocolError, "the first frame is not SETTINGS")
        }
        preface = .done
    }
}
