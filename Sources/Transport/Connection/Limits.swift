/// Everything that a peer can make us spend, and the most that we will.
///
/// Each number stops one known way of spending it. All are far above what an honest peer needs.
package struct Limits: Sendable {
    /// One header list, decoded, as RFC 9113 §6.5.2 counts it; announced as
    /// SETTINGS_MAX_HEADER_LIST_SIZE. Bounds memory: a few octets can decode to megabytes.
    package var headerListByteCount = 16 << 10

    /// CONTINUATION frames of one header block. Bounds the block that never ends.
    package var continuationCount = 8

    /// Parameters in one SETTINGS frame.
    package var settingsEntryCount = 32

    /// Acknowledgements of PING and SETTINGS that have not been taken for writing. Bounds the
    /// peer that asks and does not read the answers.
    package var pendingAckCount = 1_000

    /// Frames in advance that cost something and carry nothing: PING, SETTINGS, PRIORITY,
    /// RST_STREAM, WINDOW_UPDATE, empty DATA, 1xx responses, unknown types.
    package var glitchCount = 1_000

    /// How fast used glitches come back.
    package var glitchesPerSecond = 100

    /// Octets that lie unread in all streams together before the connection's window is given
    /// back only as they are read. Below it, a stream that nobody reads does not stop the others.
    /// What readers hold back (``ConnectionConfiguration/heldBackByteCount``) comes on top.
    package var unreadByteCount = 16 << 20

    package init() {}
}
