/// Walks a message and notes what its fields hold, for the text form.
struct FieldDescriber: FieldVisitor {
    struct Entry {
        var number: UInt32
        /// Where in the message the property lies, which tells its name; nil for one that the
        /// message does not store as such.
        var offset: Int?
        /// The name of the enum's case, in a oneof.
        var choice: String?
        var values: [TextWriter.Value]
    }

    private(set) var entries: [Entry] = []
    private var start: UInt = 0
    private var byteCount: UInt = 0

    /// Notes the fields of `message` and answers the names of its properties by their offset.
    mutating func walk<M: Message>(_ message: M) -> [Int: String] {
        var message = message
        // Safe: the address is compared with those of the properties, and never followed.
        unsafe withUnsafeMutablePointer(to: &message) { pointer in
            start = UInt(bitPattern: pointer)
            byteCount = UInt(MemoryLayout<M>.size)
            do throws(WireError) { try unsafe pointer.pointee.visit(&self) } catch {
                entries.append(Entry(number: 0, values: [.scalar("# \(error)")]))
            }
        }
        return PropertyNames.byOffset(of: message)
    }

    private mutating func note<K: FieldKind, Property>(
        _ kind: K, _ number: UInt32, _ property: inout Property, choice: String? = nil,
        _ values: [K.Value]
    ) {
        guard !values.isEmpty else { return }
        // Safe: as above.
        let address = unsafe withUnsafePointer(to: &property) { UInt(bitPattern: $0) }
        let distance = address &- start
        var text = TextWriter()
        for value in values { K.describe(value, &text) }
        entries.append(
            Entry(
                number: number, offset: distance < byteCount ? Int(distance) : nil,
                choice: choice, values: text.values))
    }

    mutating func singular<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ value: inout K.Value, isLeftOut: (K.Value) -> Bool
    ) {
        note(kind, number, &value, isLeftOut(value) ? [] : [value])
    }

    mutating func optional<K: FieldKind>(_ kind: K, _ number: UInt32, _ value: inout K.Value?) {
        note(kind, number, &value, value.map { [$0] } ?? [])
    }

    mutating func indirect<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ value: inout Indirect<K.Value>
    ) { note(kind, number, &value, value.elements) }

    mutating func repeated<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ values: inout [K.Value]
    ) { note(kind, number, &values, values) }

    mutating func packable<K: PackableKind>(
        _ kind: K, _ number: UInt32, _ values: inout [K.Value], isPacked: Bool
    ) { note(kind, number, &values, values) }

    mutating func map<Key: MapKeyKind, Element: FieldKind>(
        _ number: UInt32, _ values: inout [Key.Value: Element.Value], _ key: Key, _ value: Element
    ) {
        let place = entries.count
        note(key, number, &values, values.keys.sorted(by: Key.precedes))
        guard place < entries.count else { return }
        // Each key becomes an entry of key and value.
        entries[place].values = values.keys.sorted(by: Key.precedes).compactMap { each in
            guard let element = values[each] else { return nil }
            var text = TextWriter()
            Key.describe(each, &text)
            Element.describe(element, &text)
            let lines = zip(["key", "value"], text.values).flatMap { TextWriter.lines($0, $1) }
            return .message(lines)
        }
    }

    mutating func oneof<K: FieldKind, Choice>(
        _ number: UInt32, _ choice: inout Choice?, _ kind: K,
        _ wrap: (K.Value) -> Choice, _ unwrap: (Choice) -> K.Value?
    ) {
        guard let present = choice, let value = unwrap(present) else { return }
        let name = Mirror(reflecting: present).children.first?.label.map(PropertyNames.snakeCase)
        note(kind, number, &choice, choice: name, [value])
    }
}
