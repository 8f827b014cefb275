/// The most memory and work that a peer can cause in this module. Each limit names the attack that it stops.
///
/// Instance properties can be configured for each connection. Static properties are fixed. All limits are far
/// above the needs of a correct peer.
package struct Limits: Sendable {
    /// The size of one decoded header list, in bytes as RFC 9113 §6.5.2 counts them. It is announced as
    /// SETTINGS_MAX_HEADER_LIST_SIZE. Stops the HPACK bomb: a few bytes can decode to megabytes.
    package var headerListByteCount = 16 << 10

    /// The size of one header block that is split into several frames, in encoded bytes. Stops the
    /// CONTINUATION flood: a block that grows without end.
    package var headerBlockByteCount = 144 << 10

    /// The most empty CONTINUATION frames in one header block. Stops the CONTINUATION flood with a block that
    /// does not grow.
    var emptyContinuationCount = 8

    /// Parameters of a SETTINGS frame that cost one glitch. Stops the SETTINGS flood with few, long frames.
    var settingsEntriesPerGlitch = 32

    /// The most WINDOW_UPDATE frames that the peer may send without a charge, for DATA that it received.
    /// After that, each one costs a glitch. Stops the WINDOW_UPDATE flood after a large transfer.
    var owedUpdateCount = 1 << 20

    /// The most acknowledgements and resets that wait to be written. Stops the PING flood of a peer that does
    /// not read.
    var pendingAckCount = 1_000

    /// The most glitches that the peer may cause at once. A glitch is a frame that causes work and carries no
    /// content: PING, SETTINGS, PRIORITY, RST_STREAM, WINDOW_UPDATE, empty DATA, a 1xx response. Frames of
    /// unknown types cost glitches by their bytes. Stops every flood of such frames, including rapid reset.
    var glitchCount = 1_000

    /// Glitches that the peer earns back in a second.
    var glitchesPerSecond = 100

    init() {}
}

// MARK: - Glitches

extension Limits {
    /// Bytes of content that earn one glitch. Stops floods that would earn glitches with tiny frames.
    static let contentByteCountPerGlitch = 1 << 10

    /// Discarded bytes that cost one glitch: the default SETTINGS_MAX_FRAME_SIZE. Stops the flood of
    /// frames of unknown types.
    static let discardedByteCountPerGlitch = 16 << 10

    /// Visits of open streams that cost one glitch. Stops the SETTINGS flood on a connection with many
    /// streams: each change of the initial window visits all of them.
    static let visitedStreamCountPerGlitch = 1_000
}

// MARK: - Header blocks

extension Limits {
    /// The bytes that the fields of one header block may insert into the table after its list has exceeded
    /// ``headerListByteCount``. Each two-byte field can insert an entry as large as the table. Stops a peer that
    /// makes this side copy a thousand bytes for each byte that it sends.
    static let discardedFieldByteCount = 256 << 10
}

// MARK: - Frames after a reset

extension Limits {
    /// Frames without content that the peer may still send for each stream that was reset.
    static let lateFramesPerReset = 64
    /// When this many late frames are allowed already, a reset adds only ``fewLateFramesPerReset``.
    static let generousLateFrameCount = 1 << 16
    /// The late frames that a correct peer needs for a response that crosses a reset: headers, trailers, a
    /// reset, and a reserve.
    static let fewLateFramesPerReset = 8
    /// The most late frames on a connection. Stops a flood of frames on closed streams.
    static let lateFrameCount = 1 << 24
    /// The most late bytes of DATA on a connection. Stops a flood of DATA on closed streams.
    static let lateByteCount: Int64 = 1 << 40
}

// MARK: - Memory

extension Limits {
    /// Bytes of GOAWAY debug data that are kept. Stops a peer that fills error texts and logs.
    static let goAwayDebugByteCount = 1_024

    /// Bytes of a peer's text in an error or a log line. Stops a peer that fills logs.
    static let peerTextByteCount = 256

    /// The longest name of a metric in a server's load report, in bytes of UTF-8. Entries with a longer name are
    /// ignored.
    package static let metricNameByteCount = 1_024

    /// Ranges of skipped stream identifiers that are remembered. Stops a client that skips
    /// identifiers to make the list grow.
    static let skippedRangeCount = 32

    /// The largest HPACK table and the largest header list, in bytes. Keeps positions within 32 bits.
    /// Stops a peer that announces a table of 4 GiB.
    static let tableByteCount = 1 << 28

    /// The largest header block that is remembered because it may repeat, and its decoded size.
    static let repeatedBlockByteCount = 128
    static let repeatedListByteCount = 1_024

    /// If the output has this many bytes, no waiting stream is opened. Stops a server that does not read: the
    /// client's requests stay in waiting streams, which can be cancelled without any output.
    static let openingOutputByteCount = 256 << 10

    /// Slots, queues and index entries that a connection without streams keeps. Stops a burst of
    /// streams from holding memory after it.
    static let keptSlotCount = 1_024
    static let keptQueueCount = 1_024
    static let keptIndexCapacity = 2_048
}

// MARK: - TLS

extension Limits {
    /// The most received bytes that one step of the TLS library gets. Stops a peer that sends many records
    /// without content: the library would process all of them in one step.
    static let recordStepByteCount = 16 << 10

    /// The most bytes of the peer in a handshake. OpenSSL limits certificates to 100 KiB, but does not limit
    /// messages that it ignores. Stops a handshake that does not end.
    package static let handshakeByteCount = 256 << 10

    /// The most TLS session tickets kept per server, and the most servers with tickets. Two tickets
    /// suffice for two connections that begin together. Bounds the memory of a client of many
    /// servers.
    static let ticketsPerServer = 2
    static let ticketServerCount = 1_024

    /// The most records in a row without application data: session tickets, key updates, empty records. Stops
    /// the key update flood.
    static let quietRecordCount = 32
}

// MARK: - HTTP/1.1

/// A limit for each part of HTTP/1.1 that a peer can make grow.
package struct HTTP1Limits: Sendable {
    /// The start line. Stops a line without an end.
    package let maxStartLineByteCount = 8 << 10
    /// All fields of a head, or of the trailers, as HTTP/2 counts them: 32 bytes for each field in addition
    /// to name and value. Stops lists without an end, and many empty fields.
    package var maxFieldsByteCount = 64 << 10
    /// The line before a chunk. Stops extensions without an end.
    package let maxChunkLineByteCount = 1 << 10
    /// All extensions of the chunks of a body. Stops a body that has more extensions than content.
    package let maxExtensionByteCount = 16 << 10
    /// The most 1xx responses before the final one. Stops a server that sends 1xx responses without an end.
    package let maxInterimCount = 16

    package init() {}
}
