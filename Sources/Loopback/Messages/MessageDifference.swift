public import SwiftletMessages

extension Message {
    /// How this message differs from another one, for tests: a line for each field, such as `name: "a" → "b"`, where
    /// `"a"` is that of `other`. Empty if the messages are equal.
    ///
    /// A field inside of others has a path: `friends[1].name: "a" → "b"`. What only one message has is `absent` in
    /// the other one.
    public func difference(from other: Self) -> String {
        var difference = MessageDifference()
        unsafe withUnsafePointer(to: other) { old in
            unsafe withUnsafePointer(to: self) { new in
                unsafe difference.fields(
                    "", UnsafeRawPointer(old), UnsafeRawPointer(new), Self.layout.table)
            }
        }
        if difference.lines.isEmpty, self != other {
            return "a map contains a NaN, which equals nothing"
        }
        return difference.lines.joined(separator: "\n")
    }
}

/// Collects what differs between two messages.
///
/// Safe: the addresses are those of two messages of the table's type, and of their properties.
private struct MessageDifference {
    var lines: [String] = []
    private var writer = TextWriter()

    mutating func fields(
        _ path: String, _ old: UnsafeRawPointer, _ new: UnsafeRawPointer,
        _ table: UnsafePointer<FieldTable>
    ) {
        let names = unsafe writer.names(of: table)
        for index in unsafe 0..<table.pointee.count {
            let entry = unsafe table.pointee.entries[index]
            let offset = Int(entry.offset)
            let name = path + (names[offset] ?? "\(entry.number)")
            unsafe field(entry, name, path, old + offset, new + offset)
        }
        let (before, after) = unsafe table.pointee.type._withUnsafeGuaranteedRef { type in
            unsafe (type.unknownFields(old), type.unknownFields(new))
        }
        if before != after {
            note("\(path)unknown fields", "\(before.bytes)", "\(after.bytes)")
        }
    }

    private mutating func note(_ name: String, _ old: String?, _ new: String?) {
        lines.append("\(name): \(old ?? "absent") → \(new ?? "absent")")
    }

    private mutating func field(
        _ entry: TableEntry, _ name: String, _ path: String, _ old: UnsafeRawPointer,
        _ new: UnsafeRawPointer
    ) {
        switch entry.shape {
        case .singular, .required: unsafe values(entry, name, old, new)
        case .defaulted:
            unsafe values(entry.detail(as: DefaultValue.self).value.pointee, name, old, new)
        case .list, .packedList: unsafe elements(entry, old, new) { "\(name)[\($0)]" }
        case .optional, .indirect: unsafe elements(entry, old, new) { _ in name }
        case .map: unsafe maps(name, entry.detail(as: MapField.self), old, new)
        case .oneof: unsafe choices(entry, name, path, old, new)
        }
    }

    /// The values of one field or element. Nil is one that is absent.
    private mutating func values(
        _ entry: TableEntry, _ name: String, _ old: UnsafeRawPointer?, _ new: UnsafeRawPointer?
    ) {
        guard let old = unsafe old, let new = unsafe new else {
            if unsafe old != nil || new != nil {
                unsafe note(
                    name, old.map { unsafe text(entry, $0) }, new.map { unsafe text(entry, $0) })
            }
            return
        }
        if entry.code == .message || entry.code == .group {
            unsafe fields(name + ".", old, new, entry.nestedTable)
        } else if unsafe !FieldValue.areEqual(entry, old, new) {
            unsafe note(name, text(entry, old), text(entry, new))
        }
    }

    /// The elements of a list, or the one value of what can be absent.
    private mutating func elements(
        _ entry: TableEntry, _ old: UnsafeRawPointer, _ new: UnsafeRawPointer,
        _ name: (_ index: Int) -> String
    ) {
        let (before, after) = unsafe (places(entry, old), places(entry, new))
        for index in unsafe 0..<max(before.count, after.count) {
            unsafe values(
                entry, name(index), index < before.count ? before[index] : nil,
                index < after.count ? after[index] : nil)
        }
    }

    /// Safe: the values of a list and of an optional stay where they are as long as the message does not change.
    private func places(_ entry: TableEntry, _ field: UnsafeRawPointer) -> [UnsafeRawPointer] {
        var places: [UnsafeRawPointer] = unsafe []
        unsafe FieldValue.forEach(entry, field) { unsafe places.append($1) }
        return unsafe places
    }

    private mutating func maps(
        _ name: String, _ detail: MapField, _ old: UnsafeRawPointer, _ new: UnsafeRawPointer
    ) {
        guard unsafe !detail.areEqual(old, new) else { return }
        let (before, after) = unsafe (entries(detail, old), entries(detail, new))
        // By the bytes of the keys, as text.
        let found = Dictionary(before.map { ($0.key, $0.value) }) { first, _ in first }
        let kept = Set(after.map(\.key))
        for (key, value) in before where !kept.contains(key) {
            note(name + text(of: key), value, nil)
        }
        for (key, value) in after where found[key] != value {
            note(name + text(of: key), found[key], value)
        }
    }

    private func text(of key: [UInt8]) -> String { "[\(String(decoding: key, as: UTF8.self))]" }

    private func entries(
        _ detail: MapField, _ map: UnsafeRawPointer
    ) -> [(key: [UInt8], value: String)] {
        var entries: [(key: [UInt8], value: String)] = []
        unsafe detail.forEach(map, true) { key, value in
            unsafe entries.append(
                (Array(text(detail.key.pointee, key).utf8), text(detail.value.pointee, value)))
        }
        return entries
    }

    private mutating func choices(
        _ entry: TableEntry, _ name: String, _ path: String, _ old: UnsafeRawPointer,
        _ new: UnsafeRawPointer
    ) {
        let detail = entry.detail(as: OneofField.self)
        func label(_ place: UnsafeRawPointer) -> String {
            unsafe detail.caseName(place).map { path + $0 } ?? name
        }
        var isSet = false
        unsafe FieldValue.forEach(entry, old) { value, before in
            isSet = true
            var isSetInBoth = false
            unsafe FieldValue.forEach(entry, new) { _, after in
                isSetInBoth = true
                unsafe values(value, label(new), before, after)
            }
            if !isSetInBoth { unsafe values(value, label(old), before, nil) }
        }
        if !isSet {
            unsafe FieldValue.forEach(entry, new) { unsafe values($0, label(new), nil, $1) }
        }
    }

    /// A value on one line.
    private func text(_ entry: TableEntry, _ place: UnsafeRawPointer) -> String {
        var writer = TextWriter()
        unsafe writer.value("", entry, place)
        let lines = writer.text.split(separator: "\n").map { $0.drop { $0 == " " || $0 == ":" } }
        return lines.joined(separator: " ")
    }
}
