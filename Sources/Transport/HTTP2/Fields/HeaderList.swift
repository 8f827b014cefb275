/// Header fields in order. They are stored in two arrays: a list needs two allocations, and none if
/// it is used again.
///
/// A list is used for encoding and decoding. It checks nothing: ``HeaderRules`` checks names and
/// values when a block belongs to a stream.
package struct HeaderList: Sendable {
    /// Whether an HPACK encoder may insert a field into a table (RFC 7541 §6.2).
    package enum Indexing: UInt8, Sendable {
        /// The field usually repeats: it may enter the dynamic table.
        case indexed
        /// The field changes every time: it never enters the table, so it evicts nothing from it.
        case unindexed
        /// The field is secret: no encoder on the path may insert it into a table (§7.1.3).
        case never
    }

    /// One field as ranges of ``bytes``. The value follows the name.
    package struct Field: Sendable, Equatable {
        var start: Int32
        package let nameByteCount: Int32
        let valueByteCount: Int32
        package let indexing: Indexing
        /// The result of checking this field alone, if that is known.
        var verdict = HeaderRules.Verdict.unchecked

        package var name: Range<Int> { Int(start)..<Int(start + nameByteCount) }
        package var value: Range<Int> {
            Int(start + nameByteCount)..<Int(start + nameByteCount + valueByteCount)
        }

        /// The name and the value.
        var bytes: Range<Int> { Int(start)..<Int(start + nameByteCount + valueByteCount) }

        /// The size of the field in a list (RFC 9113 §6.5.2) and in a table (RFC 7541 §4.1).
        var byteCount: Int { Int(nameByteCount) + Int(valueByteCount) + 32 }
    }

    package internal(set) var bytes: [UInt8] = []
    package internal(set) var fields: [Field] = []

    /// The size that SETTINGS_MAX_HEADER_LIST_SIZE limits: names and values, and 32 bytes per field
    /// (RFC 9113 §6.5.2).
    package var byteCount: Int { bytes.count + 32 * fields.count }

    package init() {}
}

// MARK: - Building

extension HeaderList {
    package mutating func append(_ name: String, _ value: String, _ indexing: Indexing = .indexed) {
        let start = bytes.count
        bytes.append(contentsOf: name.utf8)
        let valueStart = bytes.count
        bytes.append(contentsOf: value.utf8)
        appendField(start: start, valueStart: valueStart, indexing)
    }

    package mutating func append(
        name: Span<UInt8>, value: Span<UInt8>, _ indexing: Indexing = .indexed
    ) {
        let start = bytes.count
        bytes.append(copying: name)
        let valueStart = bytes.count
        bytes.append(copying: value)
        appendField(start: start, valueStart: valueStart, indexing)
    }

    mutating func appendField(start: Int, valueStart: Int, _ indexing: Indexing) {
        fields.append(
            Field(
                start: Int32(start), nameByteCount: Int32(valueStart - start),
                valueByteCount: Int32(bytes.count - valueStart), indexing: indexing))
    }

    package mutating func append(contentsOf other: HeaderList) {
        for field in other.fields {
            append(
                name: other.bytes.contiguous.span.extracting(field.name),
                value: other.bytes.contiguous.span.extracting(field.value), field.indexing)
        }
    }

    /// Removes all fields and keeps the memory.
    package mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        fields.removeAll(keepingCapacity: true)
    }
}

// MARK: - Reading

extension HeaderList {
    package var isEmpty: Bool { fields.isEmpty }

    package func name(of field: Field) -> String {
        String(decoding: bytes[field.name], as: UTF8.self)
    }

    package func value(of field: Field) -> String {
        String(decoding: bytes[field.value], as: UTF8.self)
    }

    /// The first field with this name. Nil when there is none.
    package func first(_ name: StaticString) -> Field? {
        fields.first { isName($0, name) }
    }

    /// Whether the field has this name, compared byte by byte.
    package func isName(_ field: Field, _ name: StaticString) -> Bool {
        guard Int(field.nameByteCount) == name.utf8CodeUnitCount else { return false }
        return bytes.contiguous.span.extracting(field.name).equals(name)
    }
}

extension HeaderList.Field {
    /// Ignores the verdict, because the bytes determine it. It may be known for only one of two
    /// equal fields.
    package static func == (left: Self, right: Self) -> Bool {
        left.start == right.start && left.nameByteCount == right.nameByteCount
            && left.valueByteCount == right.valueByteCount && left.indexing == right.indexing
    }
}

extension HeaderList: Equatable {
    /// Lists are equal when they have the same fields in the same order. Indexing is part of a
    /// field.
    package static func == (left: HeaderList, right: HeaderList) -> Bool {
        left.bytes == right.bytes && left.fields == right.fields
    }
}
