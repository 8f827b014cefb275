/// The properties of a field that decoding and encoding need. Trivial, so that a copy costs no
/// reference counting.
struct FieldLayout: Sendable {
    enum Shape: UInt8, Sendable {
        /// One value, which is absent when it is zero.
        case implicit
        /// One value with presence.
        case explicit
        /// One value that must be present.
        case required
        case list
        case map
    }

    let number: UInt32
    let type: FieldType
    let shape: Shape
    let isPacked: Bool
    let validatesUTF8: Bool
    /// Whether its enum allows no unlisted numbers.
    let isClosedEnum: Bool
    /// The index of its message or its enum; -1 for other types.
    let target: Int32
    /// The index of its oneof; -1 when it is in none.
    let oneof: Int32
    /// Whether its oneof has other fields, which are cleared when it is set.
    var sharesOneof = false
    /// Whether the field is a message in which, at any depth, a required field can be missing.
    var needsRequiredCheck = false

    var isSingular: Bool { shape.rawValue <= Shape.required.rawValue }
    var hasPresence: Bool { shape == .explicit || shape == .required }
    var targetIndex: Int { Int(target) }
}
