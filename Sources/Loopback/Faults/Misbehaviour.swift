/// The ways in which a raw peer is hostile, broken or unusual. The raw values are names for tables.
@nonexhaustive
public enum Misbehaviour: String, CaseIterable, Sendable {
    /// A correct answer, for comparison.
    case ok

    // The first bytes of the connection.
    case garbagePreface = "garbage_preface"
    case http1Reply = "http1_reply"
    case settingsNeverAcked = "settings_never_acked"
    case silent
    case zeroWindowForever = "zero_window_forever"
    case maxStreamsZero = "max_streams_zero"
    case settingsUnknownIDs = "settings_unknown_ids"
    case tlsHang = "tls_hang"

    // Frames.
    case oversizedFrame = "oversized_frame"
    case dataOnStream0 = "data_on_stream_0"
    case windowUpdateOverflow = "wu_overflow_conn"
    case pushPromise = "push_promise"
    case unknownFrames = "unknown_frames"
    case paddedAll = "padded_all"
    case continuationSplit = "continuation_split"
    case emptyDataFrames = "empty_data_frames"
    case informational100 = "informational_100"

    // Header compression.
    case hpackBadIndex = "hpack_bad_index"
    case hpackTableSizeTooBig = "hpack_table_size_too_big"
    case hpackBomb = "hpack_bomb"

    // Floods.
    case continuationFlood = "continuation_flood"
    case floodPingNoRead = "flood_ping_noread"
    case floodSettingsNoRead = "flood_settings_noread"
    case floodEmptyData = "flood_empty_data"

    // Headers and trailers.
    case headerBinUnpadded = "hdr_bin_unpadded"
    case statusMissing = "status_missing"
    case statusNonNumeric = "status_nonnumeric"
    case status17 = "status_17"
    case messageBadPercent = "message_bad_percent"
    case trailersOnlyError = "trailers_only_error"
    case http200 = "http_200"
    case http401 = "http_401"
    case http403 = "http_403"
    case http404 = "http_404"
    case http429 = "http_429"
    case http500 = "http_500"
    case http503 = "http_503"

    // Messages.
    case messageCompressedNoEncoding = "msg_compressed_no_encoding"
    case messageUnknownEncoding = "msg_unknown_encoding"
    case messageTruncated = "msg_truncated"
    case messageLength4G = "msg_len_4g"
    case messageOver4M = "msg_over_4m"
    case messageTwo = "msg_two"
    case messageNoneOK = "msg_none_ok"

    // Ends.
    case rstInternal = "rst_internal"
    case rstRefused = "rst_refused"
    case rstCancel = "rst_cancel"
    case rstEnhanceCalm = "rst_enhance_calm"
    case rstInadequate = "rst_inadequate"
    case closeBeforeResponse = "close_before_response"
    case closeMidFrame = "close_mid_frame"
    case closeAfterMessage = "close_after_message"
    case goAwayLast0 = "goaway_last_0"
    case goAwayMidStream = "goaway_mid_stream"
    case goAwayGracefulTwice = "goaway_graceful_twice"
    case goAwayThenClose = "goaway_then_close"
}

extension Misbehaviour {
    package var script: RawScript {
        connectionScript ?? frameScript ?? floodScript ?? headerScript ?? messageScript ?? endScript
            ?? .correct
    }
}
