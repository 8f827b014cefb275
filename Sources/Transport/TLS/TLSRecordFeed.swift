/// Decides how many received bytes one step of the TLS library gets: at most one record, and at most
/// ``Limits/recordStepByteCount``.
///
/// If a library gets all bytes at once, it processes all of them at once. Records without application data
/// would cost time and return nothing.
struct TLSRecordFeed {
    /// The header of a record (RFC 8446 §5.1): a type, a version, and the length in two bytes.
    private static let headerByteCount = 5

    /// Bytes of the current record that were not used yet. Zero between two records.
    private var missingByteCount = 0
    private var quietCount = 0
}

extension TLSRecordFeed {
    /// How many of the unread bytes the next step may use. Zero until the header of a record has arrived.
    mutating func loan(of unread: Span<UInt8>) -> Int {
        if missingByteCount == 0 {
            guard unread.count >= Self.headerByteCount else { return 0 }
            missingByteCount = Self.headerByteCount + Int(unread[3]) * 256 + Int(unread[4])
        }
        return min(missingByteCount, unread.count, Limits.recordStepByteCount)
    }

    /// Notes that the step has used `byteCount` bytes.
    mutating func use(_ byteCount: Int) { missingByteCount -= byteCount }

    /// Whether the last byte that was used ended a record.
    var isBetweenRecords: Bool { missingByteCount == 0 }

    /// Notes a record without application data. Returns false if there were too many in a row.
    mutating func noteQuiet() -> Bool {
        quietCount += 1
        return quietCount <= Limits.quietRecordCount
    }

    mutating func noteContent() { quietCount = 0 }
}
