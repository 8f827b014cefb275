/// Visits only the fields of oneofs. Sets one of them, or notes which ones are set.
struct OneofChecker: FieldVisitor {
    /// The numbers of the fields that the checker has set or has found set.
    private(set) var numbers: [UInt32] = []
    private let indexToSet: Int?
    private var index = 0

    /// - Parameter indexToSet: The index of the field to set, counted over all oneofs. With nil, no
    ///   field is set.
    init(settingFieldAt indexToSet: Int?) { self.indexToSet = indexToSet }

    mutating func oneof<K: FieldKind, Choice>(
        _ number: UInt32, _ choice: inout Choice?, _ kind: K,
        _ wrap: (K.Value) -> Choice, _ unwrap: (Choice) -> K.Value?
    ) {
        if let indexToSet {
            if index == indexToSet {
                choice = wrap(K.initial)
                numbers.append(number)
            }
        } else if choice.flatMap(unwrap) != nil {
            numbers.append(number)
        }
        index += 1
    }

    mutating func singular<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ value: inout K.Value, isOmitted: (K.Value) -> Bool
    ) {}

    mutating func optional<K: FieldKind>(_ kind: K, _ number: UInt32, _ value: inout K.Value?) {}

    mutating func indirect<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ value: inout Indirect<K.Value>
    ) {}

    mutating func repeated<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ values: inout [K.Value]
    ) {}

    mutating func packable<K: PackableKind>(
        _ kind: K, _ number: UInt32, _ values: inout [K.Value], isPacked: Bool
    ) {}

    mutating func map<Key: MapKeyKind, Element: FieldKind>(
        _ number: UInt32, _ values: inout [Key.Value: Element.Value], _ key: Key, _ value: Element
    ) {}
}
