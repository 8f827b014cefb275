extension HPACK {
    /// The static table and the dynamic table (RFC 7541 §2.3).
    ///
    /// New fields are appended to one array of bytes. The oldest fields are evicted by increasing `oldest`. When the
    /// array has grown to twice the limit, the remaining fields move to its front, so each byte moves at most once.
    /// Fields are numbered in the order of insertion, and field `n` is at `n & mask`. So one subtraction
    /// converts an index on the wire to a field. The memory grows with the fields: most connections have few.
    ///
    /// Invariants: `byteCount ≤ maxByteCount`; `insertedCount − oldest ≤ entries.count`, which is zero or a power of two.
    struct Table {
        /// Those of the dynamic fields.
        private(set) var bytes: [UInt8] = []
        private let statics = StaticTable.list
        private var entries: [HeaderList.Field] = []
        private var mask = 0

        /// The number of the next field. It cannot overflow: 2⁶³ insertions take centuries.
        private(set) var insertedCount = 0
        /// The number of the oldest field in the table.
        private(set) var oldest = 0
        private(set) var byteCount = 0
        /// The current size limit. Size updates change it.
        private(set) var maxByteCount: Int

        /// How many fields have a place once there is one.
        static let firstCapacity = 16

        init(limit: Int) { maxByteCount = limit }

        /// How many fields have a place.
        var capacity: Int { entries.count }
    }
}

// MARK: - Look-up

extension HPACK.Table {
    /// The field with an index on the wire. Nil when there is none.
    @inline(__always)
    func field(at index: Int) -> HeaderList.Field? {
        if index <= HPACK.StaticTable.count {
            return index > 0 ? statics.fields[index] : nil
        }
        let number = insertedCount - (index - HPACK.StaticTable.count)
        return number >= oldest ? entries[number & mask] : nil
    }

    /// Appends a part of the field at `index` to `output`.
    @inline(__always)
    func append(_ part: Range<Int>, ofFieldAt index: Int, to output: inout [UInt8]) {
        if index <= HPACK.StaticTable.count {
            output.append(copying: statics.bytes.contiguous.span.extracting(part))
        } else {
            output.append(copying: bytes.contiguous.span.extracting(part))
        }
    }

    /// The field with number `number`, which must be in the table.
    @inline(__always)
    func field(number: Int) -> HeaderList.Field {
        assert(oldest <= number && number < insertedCount)
        return entries[number & mask]
    }

    /// The current index of field `number` on the wire.
    @inline(__always)
    func index(of number: Int) -> Int { HPACK.StaticTable.count + insertedCount - number }
}

// MARK: - Change

extension HPACK.Table {
    /// Inserts a field whose bytes are in `source`. A field that is larger than the table evicts all fields,
    /// which is no error (RFC 7541 §4.4).
    mutating func insert(_ field: HeaderList.Field, of source: Span<UInt8>) {
        evict(toFit: field.byteCount)
        guard field.byteCount <= maxByteCount else { return }
        if bytes.count >= 2 * maxByteCount { compact() }
        if insertedCount - oldest == entries.count { grow() }
        var entry = field
        entry.start = Int32(bytes.count)
        bytes.append(copying: source.extracting(field.bytes))
        entries[insertedCount & mask] = entry
        insertedCount += 1
        byteCount += field.byteCount
    }

    /// Evicts all fields.
    mutating func removeAll() {
        oldest = insertedCount
        byteCount = 0
    }

    /// Sets the current size limit. The caller has checked that it is within the limit (§4.3).
    mutating func resize(maxByteCount: Int) {
        self.maxByteCount = maxByteCount
        evict(toFit: 0)
    }

    /// Makes room for twice as many fields.
    private mutating func grow() {
        let capacity = max(Self.firstCapacity, 2 * entries.count)
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
        let liveStart = oldest < insertedCount ? Int(entries[oldest & mask].start) : bytes.count
        bytes.removeSubrange(..<liveStart)
        for number in oldest..<insertedCount { entries[number & mask].start -= Int32(liveStart) }
    }
}

extension HeaderList {
    /// Appends the field at `index` of `table`. In both, the value follows the name.
    @inline(__always)
    mutating func append(
        copying field: Field, at index: Int, of table: borrowing HPACK.Table
    ) {
        var copy = field
        copy.start = Int32(bytes.count)
        table.append(field.bytes, ofFieldAt: index, to: &bytes)
        fields.append(copy)
    }
}
