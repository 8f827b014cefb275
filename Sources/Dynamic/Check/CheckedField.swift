import SwiftletMessages

/// A field as a Swift message lists it.
struct CheckedField {
    enum Shape: Equatable {
        /// Without presence.
        case implicit
        case required
        case explicit
        case list
        /// With the type of the keys.
        case map(FieldType?)
        /// With the identity of the enum.
        case oneof(ObjectIdentifier)
    }

    let number: UInt32
    let shape: Shape
    /// The kind of the values; nil for a kind that the library does not have.
    let kind: (any CheckedKind.Type)?
    /// Whether a list is packed; nil for a list that cannot be packed.
    var isPacked: Bool?
    /// Whether a field without presence is omitted when it is zero or empty.
    var omitsZero = true
    /// The value of the field in a new message; nil when it has presence.
    var initial: DynamicValue?
}

/// Records the list of fields of a message.
struct FieldRecorder: FieldVisitor {
    private(set) var fields: [CheckedField] = []

    private func checked<K: FieldKind>(_ kind: K) -> (any CheckedKind.Type)? {
        K.self as? any CheckedKind.Type
    }

    mutating func singular<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ value: inout K.Value, isOmitted: (K.Value) -> Bool
    ) {
        fields.append(
            CheckedField(
                number: number, shape: .implicit, kind: checked(kind),
                omitsZero: isOmitted(K.initial), initial: checked(kind)?.dynamic(value)))
    }

    mutating func required<K: FieldKind>(_ kind: K, _ number: UInt32, _ value: inout K.Value) {
        fields.append(
            CheckedField(
                number: number, shape: .required, kind: checked(kind),
                initial: checked(kind)?.dynamic(value)))
    }

    mutating func optional<K: FieldKind>(_ kind: K, _ number: UInt32, _ value: inout K.Value?) {
        fields.append(CheckedField(number: number, shape: .explicit, kind: checked(kind)))
    }

    mutating func indirect<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ value: inout Indirect<K.Value>
    ) {
        fields.append(CheckedField(number: number, shape: .explicit, kind: checked(kind)))
    }

    mutating func repeated<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ values: inout [K.Value]
    ) {
        fields.append(CheckedField(number: number, shape: .list, kind: checked(kind)))
    }

    mutating func packable<K: PackableKind>(
        _ kind: K, _ number: UInt32, _ values: inout [K.Value], isPacked: Bool
    ) {
        fields.append(
            CheckedField(
                number: number, shape: .list, kind: checked(kind), isPacked: isPacked))
    }

    mutating func map<Key: MapKeyKind, Element: FieldKind>(
        _ number: UInt32, _ values: inout [Key.Value: Element.Value], _ key: Key, _ value: Element
    ) {
        fields.append(
            CheckedField(
                number: number, shape: .map(checked(key)?.fieldType), kind: checked(value)))
    }

    mutating func oneof<K: FieldKind, Choice>(
        _ number: UInt32, _ choice: inout Choice?, _ kind: K,
        _ wrap: (K.Value) -> Choice, _ unwrap: (Choice) -> K.Value?
    ) {
        let identity = ObjectIdentifier(Choice.self)
        fields.append(CheckedField(number: number, shape: .oneof(identity), kind: checked(kind)))
    }
}
