extension HPACK {
    /// The static table, and behind it the dynamic one (RFC 7541 §2.3), in one run of octets.
    ///
    /// New fields are appended; the oldest are forgotten by moving `oldest` up. When the run has
    /// grown to twice the limit, the living fields move to its front, which costs each octet at
    /// most one more copy. Fields are numbered in order of insertion, and number `n` lies at
    /// `n & mask`; so an index of the wire is one subtraction away from its field.
    ///
    /// Invariants: `byteCount ≤ maxByteCount ≤ limit`; a field counts for at least 32 octets
    /// (§4.1), so `insertedCount − oldest ≤ limit / 32 ≤ entries.count`.
    struct Table {
        private(set) var octets: [UInt8]
        private let staticFields: [HeaderList.Field]
        private let staticByteCount: Int
        private var entries: [HeaderList.Field] = []
        private var mask = 0

        /// The number of the next field to be inserted. It never repeats: at one insertion a
        /// nanosecond it lasts for centuries.
        private(set) var insertedCount = 0
        /// The number of the oldest field that is still here.
        private(set) var oldest = 0
        private(set) var byteCount = 0
        /// The size in force, which size updates move between zero and the limit.
        private(set) var maxByteCount: Int

        init(limit: Int) {
            octets = StaticTable.list.octets
            staticFields = StaticTable.list.fields
            staticByteCount = octets.count
            maxByteCount = limit
            reserve(limit: limit)
        }

        /// How many fields the dynamic part has room for: the size of tables beside this one.
        var capacity: Int { entries.count }
    }
}

// MARK: - Look-up

extension HPACK.Table {
    /// The field with an index as it stands on the wire, or nil when there is none.
    @inline(__always)
    func field(at index: Int) -> HeaderList.Field? {
        if index <= HPACK.StaticTable.count {
            return index > 0 ? staticFields[index] : nil
        }
        let number = insertedCount - (index - HPACK.StaticTable.count)
        return number >= oldest ? entries[number & mask] : nil
    }

    /// The field that was inserted as number `number` and is still here.
    @inline(__always)
    func field(number: Int) -> HeaderList.Field {
        assert(oldest <= number && number < insertedCount)
        return entries[number & mask]
    }

    /// The index that field `number` has on the wire by now.
    @inline(__always)
    func index(of number: Int) -> Int { HPACK.StaticTable.count + insertedCount - number }
}

// MARK: - Change

extension HPACK.Table {
    /// Inserts a field whose octets lie in `source`; one larger than the whole table empties it
    /// and is not an error (RFC 7541 §4.4).
    mutating func insert(_ field: HeaderList.Field, of source: Span<UInt8>) {
        evict(toFit: field.byteCount)
        guard field.byteCount <= maxByteCount else { return }
        if octets.count - staticByteCount >= 2 * maxByteCount { compact() }
        var entry = field
        entry.start = Int32(octets.count)
        octets.append(copying: source.extracting(field.octets))
        entries[insertedCount & mask] = entry
        insertedCount += 1
        byteCount += field.byteCount
    }

    /// What an insertion larger than the table comes to (§4.4).
    mutating func removeAll() {
        oldest = insertedCount
        byteCount = 0
    }

    /// Sets the size in force, which the caller has found to be within the limit (§4.3).
    mutating func resize(maxByteCount: Int) {
        self.maxByteCount = maxByteCount
        evict(toFit: 0)
    }

    /// Makes room for as many fields as a table of `limit` octets can hold.
    mutating func reserve(limit: Int) {
        var capacity = 16
        while capacity < limit / 32 { capacity *= 2 }
        guard capacity > entries.count else { return }
        let none = HeaderList.Field(
            start: 0, nameByteCount: 0, valueByteCount: 0, indexing: .indexed)
        var larger = [HeaderList.Field](repeating: none, count: capacity)
        for number in oldest..<insertedCount {
            larger[number & (capacity - 1)] = entries[number & mask]
        }
        entries = larger
        mask = capacity - 1
    }

    private mutating func evict(toFit newByteCount: Int) {
        while byteCount + newByteCount > maxByteCount, oldest < insertedCount {
            byteCount -= entries[oldest & mask].byteCount
            oldest += 1
        }
    }

    private mutating func compact() {
        let liveStart = oldest < insertedCount ? Int(entries[oldest & mask].start) : octets.count
        octets.removeSubrange(staticByteCount..<liveStart)
        let moved = Int32(liveStart - staticByteCount)
        for number in oldest..<insertedCount { entries[number & mask].start -= moved }
    }
}
