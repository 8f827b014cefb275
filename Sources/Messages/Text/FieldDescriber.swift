/// Visits a message and writes the text form of its fields.
struct FieldDescriber: FieldVisitor {
    private(set) var text: TextWriter

    /// The names of the message's properties, by their offset in the message.
    private let names: [Int: String]
    private var start: UInt = 0
    private var byteCount: UInt = 0

    /// Writes the listed fields of `message` to `text`.
    @_semantics("optimize.sil.specialize.generic.never")
    static func describe<M: Message>(_ message: M, _ text: inout TextWriter) {
        let names = text.names(of: message)
        var describer = FieldDescriber(text: text, names: names)
        // The describer is then the only owner of the text, so that the text grows in place.
        text = TextWriter()
        describer.visit(message)
        text = describer.text
    }

    private init(text: TextWriter, names: [Int: String]) {
        self.text = text
        self.names = names
    }

    @_semantics("optimize.sil.specialize.generic.never")
    private mutating func visit<M: Message>(_ message: M) {
        var message = message
        // Safe: the address is compared with the addresses of the properties, and never dereferenced.
        unsafe withUnsafeMutablePointer(to: &message) { pointer in
            start = UInt(bitPattern: pointer)
            byteCount = UInt(MemoryLayout<M>.size)
            do throws(WireError) { try unsafe pointer.pointee.visit(&self) } catch {
                text.comment("\(error)")
            }
        }
    }

    /// The property's name in the `.proto` file. If it is not a stored property, the field's number.
    private func name<Property>(of property: inout Property, _ number: UInt32) -> String {
        // Safe for the same reason.
        let address = unsafe withUnsafePointer(to: &property) { UInt(bitPattern: $0) }
        let offset = address &- start
        return (offset < byteCount ? names[Int(offset)] : nil) ?? "\(number)"
    }

    private mutating func describe<K: FieldKind, Property>(
        _ kind: K, _ number: UInt32, _ property: inout Property, _ values: [K.Value]
    ) {
        guard !values.isEmpty else { return }
        let name = name(of: &property, number)
        for value in values { text.field(name) { K.describe(value, &$0) } }
    }

    mutating func singular<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ value: inout K.Value, isOmitted: (K.Value) -> Bool
    ) {
        describe(kind, number, &value, isOmitted(value) ? [] : [value])
    }

    mutating func optional<K: FieldKind>(_ kind: K, _ number: UInt32, _ value: inout K.Value?) {
        describe(kind, number, &value, value.map { [$0] } ?? [])
    }

    mutating func indirect<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ value: inout Indirect<K.Value>
    ) { describe(kind, number, &value, value.elements) }

    mutating func repeated<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ values: inout [K.Value]
    ) { describe(kind, number, &values, values) }

    mutating func packable<K: PackableKind>(
        _ kind: K, _ number: UInt32, _ values: inout [K.Value], isPacked: Bool
    ) { describe(kind, number, &values, values) }

    mutating func map<Key: MapKeyKind, Element: FieldKind>(
        _ number: UInt32, _ values: inout [Key.Value: Element.Value], _ key: Key, _ value: Element
    ) {
        guard !values.isEmpty else { return }
        let name = name(of: &values, number)
        for (key, value) in values.sorted(by: { Key.precedes($0.key, $1.key) }) {
            text.field(name) { text in
                text.braces { text in
                    text.field("key") { Key.describe(key, &$0) }
                    text.field("value") { Element.describe(value, &$0) }
                }
            }
        }
    }

    mutating func oneof<K: FieldKind, Choice>(
        _ number: UInt32, _ choice: inout Choice?, _ kind: K,
        _ wrap: (K.Value) -> Choice, _ unwrap: (Choice) -> K.Value?
    ) {
        guard let present = choice, let value = unwrap(present) else { return }
        // The field is named after the enum's case.
        let label = Mirror(reflecting: present).children.first?.label
        let name = label.map(PropertyNames.snakeCase) ?? name(of: &choice, number)
        text.field(name) { K.describe(value, &$0) }
    }
}
