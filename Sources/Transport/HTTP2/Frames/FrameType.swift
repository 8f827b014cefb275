/// The type of a frame. A struct for the same reason as ``ErrorCode``: implementations "MUST ignore
/// and discard frames of unknown types" (RFC 9113 §4.1).
package struct FrameType: Equatable, Sendable {
    package let rawValue: UInt8

    static let data = FrameType(rawValue: 0x0)
    static let headers = FrameType(rawValue: 0x1)
    static let priority = FrameType(rawValue: 0x2)
    static let rstStream = FrameType(rawValue: 0x3)
    static let settings = FrameType(rawValue: 0x4)
    static let pushPromise = FrameType(rawValue: 0x5)
    static let ping = FrameType(rawValue: 0x6)
    static let goAway = FrameType(rawValue: 0x7)
    static let windowUpdate = FrameType(rawValue: 0x8)
    static let continuation = FrameType(rawValue: 0x9)
}

/// The flags of a frame. The frame's type determines which of them have a meaning; the others "MUST
/// be ignored" (RFC 9113 §4.1). Not an option set, for the reason that ``Poller/Readiness`` names.
struct FrameFlags: Equatable, Sendable {
    private(set) var rawValue: UInt8

    static let none = FrameFlags(rawValue: 0)
    /// SETTINGS and PING.
    static let ack = FrameFlags(rawValue: 0x1)
    /// DATA and HEADERS.
    static let endStream = FrameFlags(rawValue: 0x1)
    /// HEADERS, PUSH_PROMISE and CONTINUATION.
    static let endHeaders = FrameFlags(rawValue: 0x4)
    /// DATA, HEADERS and PUSH_PROMISE.
    static let padded = FrameFlags(rawValue: 0x8)
    /// HEADERS.
    static let priority = FrameFlags(rawValue: 0x20)

    func contains(_ flag: FrameFlags) -> Bool { rawValue & flag.rawValue != 0 }

    mutating func insert(_ flag: FrameFlags) { rawValue |= flag.rawValue }
}
