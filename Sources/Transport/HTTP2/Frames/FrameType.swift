/// The type of a frame. A struct for the same reason as ``ErrorCode``: implementations "MUST ignore
/// and discard frames of unknown types" (RFC 9113 §4.1).
package struct FrameType: RawRepresentable, Equatable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let data = FrameType(rawValue: 0x0)
    package static let headers = FrameType(rawValue: 0x1)
    package static let priority = FrameType(rawValue: 0x2)
    package static let rstStream = FrameType(rawValue: 0x3)
    package static let settings = FrameType(rawValue: 0x4)
    package static let pushPromise = FrameType(rawValue: 0x5)
    package static let ping = FrameType(rawValue: 0x6)
    package static let goAway = FrameType(rawValue: 0x7)
    package static let windowUpdate = FrameType(rawValue: 0x8)
    package static let continuation = FrameType(rawValue: 0x9)
}

/// The flags of a frame. The frame's type determines which of them have a meaning; the others "MUST
/// be ignored" (RFC 9113 §4.1).
package struct FrameFlags: OptionSet, Equatable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// SETTINGS and PING.
    package static let ack = FrameFlags(rawValue: 0x1)
    /// DATA and HEADERS.
    package static let endStream = FrameFlags(rawValue: 0x1)
    /// HEADERS, PUSH_PROMISE and CONTINUATION.
    package static let endHeaders = FrameFlags(rawValue: 0x4)
    /// DATA, HEADERS and PUSH_PROMISE.
    package static let padded = FrameFlags(rawValue: 0x8)
    /// HEADERS.
    package static let priority = FrameFlags(rawValue: 0x20)
}
