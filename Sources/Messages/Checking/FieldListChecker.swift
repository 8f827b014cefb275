/// Visits a message with its defaults, and checks the number and the default of each field.
struct FieldListChecker: FieldVisitor {
    var problems: [String] = []

    /// The fields of oneofs, in the order of the list.
    private(set) var oneofNumbers: [UInt32] = []
    private var numbers: Set<UInt32> = []

    /// Numbers that protobuf reserves for itself. protoc refuses them.
    private static let reservedNumbers: ClosedRange<UInt32> = 19_000...19_999

    private mutating func check(_ number: UInt32, isDefault: Bool = true) {
        if !(1...Tag.maxNumber).contains(number) {
            problems.append("field number \(number) is not in 1...\(Tag.maxNumber)")
        }
        if Self.reservedNumbers.contains(number) {
            problems.append("field number \(number) is reserved by protobuf")
        }
        if !numbers.insert(number).inserted {
            problems.append("field number \(number) is listed twice")
        }
        if !isDefault {
            problems.append(
                "field \(number) is set in a new message, so a default that was not sent is lost")
        }
    }

    mutating func singular<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ value: inout K.Value, isOmitted: (K.Value) -> Bool
    ) { check(number, isDefault: isOmitted(value)) }

    mutating func required<K: FieldKind>(_ kind: K, _ number: UInt32, _ value: inout K.Value) {
        check(number)
    }

    mutating func optional<K: FieldKind>(_ kind: K, _ number: UInt32, _ value: inout K.Value?) {
        check(number, isDefault: value == nil)
    }

    mutating func indirect<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ value: inout Indirect<K.Value>
    ) { check(number, isDefault: value.elements.isEmpty) }

    mutating func repeated<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ values: inout [K.Value]
    ) { check(number, isDefault: values.isEmpty) }

    mutating func packable<K: PackableKind>(
        _ kind: K, _ number: UInt32, _ values: inout [K.Value], isPacked: Bool
    ) { check(number, isDefault: values.isEmpty) }

    mutating func map<Key: MapKeyKind, Element: FieldKind>(
        _ number: UInt32, _ values: inout [Key.Value: Element.Value], _ key: Key, _ value: Element
    ) { check(number, isDefault: values.isEmpty) }

    mutating func oneof<K: FieldKind, Choice>(
        _ number: UInt32, _ choice: inout Choice?, _ kind: K,
        _ wrap: (K.Value) -> Choice, _ unwrap: (Choice) -> K.Value?
    ) {
        oneofNumbers.append(number)
        check(number, isDefault: choice == nil)
    }
}
