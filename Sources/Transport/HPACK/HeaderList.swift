/// Header fields in order, stored flat: two allocations however many there are, and none when
/// the list is reused.
///
/// The same type carries what is to be encoded and what was decoded. It checks nothing; the
/// rules of HTTP/2 for names and values are applied where a block meets a stream.
package struct HeaderList: Sendable {
    /// What a compressor may remember of a field (RFC 7541 §6.2).
    package enum Indexing: UInt8, Sendable {
        /// Repeats as a rule: may enter the dynamic table.
        case indexed
        /// Changes every time: never enters the table, and so pushes nothing else out.
        case unindexed
        /// Secret: no hop may ever put it into a table (§7.1.3).
        case never
    }

    /// One field, as ranges of ``octets``; the value lies right behind the name.
    package struct Field: Sendable, Hashable {
        package var start: Int32
        package var nameByteCount: Int32
        package var valueByteCount: Int32
        package var indexing: Indexing
        /// What the rules of HTTP say of this field alone, where that has been found out already.
        package var verdict = HeaderRules.Verdict.unchecked

        package var name: Range<Int> { Int(start)..<Int(start + nameByteCount) }
        package var value: Range<Int> {
            Int(start + nameByteCount)..<Int(start + nameByteCount + valueByteCount)
        }

        /// The name and, right behind it, the value.
        package var octets: Range<Int> { Int(start)..<Int(start + nameByteCount + valueByteCount) }

        /// What the field counts for, in a list (RFC 9113 §6.5.2) as in a table (RFC 7541 §4.1).
        package var byteCount: Int { Int(nameByteCount) + Int(valueByteCount) + 32 }
    }

    package internal(set) var octets: [UInt8] = []
    package internal(set) var fields: [Field] = []

    /// The size that SETTINGS_MAX_HEADER_LIST_SIZE limits: 32 octets a field on top of its name
    /// and value (RFC 9113 §6.5.2).
    package var byteCount: Int { octets.count + 32 * fields.count }

    package init() {}
}

// MARK: - Building

extension HeaderList {
    package mutating func append(_ name: String, _ value: String, _ indexing: Indexing = .indexed) {
        let start = octets.count
        octets.append(contentsOf: name.utf8)
        let valueStart = octets.count
        octets.append(contentsOf: value.utf8)
        appendField(start: start, valueStart: valueStart, indexing)
    }

    package mutating func append(
        name: Span<UInt8>, value: Span<UInt8>, _ indexing: Indexing = .indexed
    ) {
        let start = octets.count
        octets.append(copying: name)
        let valueStart = octets.count
        octets.append(copying: value)
        appendField(start: start, valueStart: valueStart, indexing)
    }

    /// Appends a field whose octets `write` appends itself: the name first, whose length it
    /// returns, then the value.
    package mutating func append(
        _ indexing: Indexing = .indexed, writing write: (inout [UInt8]) -> Int
    ) {
        let start = octets.count
        let nameByteCount = write(&octets)
        appendField(start: start, valueStart: start + nameByteCount, indexing)
    }

    /// Appends a field of `table`, whose name and value lie side by side there as here.
    @inline(__always)
    mutating func append(copying field: Field, of table: borrowing HPACK.Table) {
        var copy = field
        copy.start = Int32(octets.count)
        octets.append(copying: table.octets.span.extracting(field.octets))
        fields.append(copy)
    }

    mutating func appendField(start: Int, valueStart: Int, _ indexing: Indexing) {
        fields.append(
            Field(
                start: Int32(start), nameByteCount: Int32(valueStart - start),
                valueByteCount: Int32(octets.count - valueStart), indexing: indexing))
    }

    package mutating func append(contentsOf other: HeaderList) {
        for field in other.fields {
            append(
                name: other.octets.span.extracting(field.name),
                value: other.octets.span.extracting(field.value), field.indexing)
        }
    }

    /// Empties the list and keeps its memory.
    package mutating func removeAll() {
        octets.removeAll(keepingCapacity: true)
        fields.removeAll(keepingCapacity: true)
    }
}

// MARK: - Reading

extension HeaderList {
    package var isEmpty: Bool { fields.isEmpty }

    package func name(of field: Field) -> String {
        String(decoding: octets[field.name], as: UTF8.self)
    }

    package func value(of field: Field) -> String {
        String(decoding: octets[field.value], as: UTF8.self)
    }

    /// The first field called `name`, or nil.
    package func first(_ name: StaticString) -> Field? {
        fields.first { isName($0, name) }
    }

    /// Whether `field` is called `name`, compared octet by octet.
    package func isName(_ field: Field, _ name: StaticString) -> Bool {
        guard Int(field.nameByteCount) == name.utf8CodeUnitCount else { return false }
        return octets.span.extracting(field.name).equals(name)
    }
}

extension HeaderList.Field {
    /// The verdict is left out: it follows from the octets, and may be known of one of two equal
    /// fields only.
    package static func == (left: Self, right: Self) -> Bool {
        left.start == right.start && left.nameByteCount == right.nameByteCount
            && left.valueByteCount == right.valueByteCount && left.indexing == right.indexing
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(start)
        hasher.combine(nameByteCount)
        hasher.combine(valueByteCount)
        hasher.combine(indexing)
    }
}

extension HeaderList: Hashable {
    /// Lists are equal when they say the same in the same order; what a compressor may remember
    /// of it is part of what they say.
    package static func == (left: HeaderList, right: HeaderList) -> Bool {
        left.octets == right.octets && left.fields == right.fields
    }
}
