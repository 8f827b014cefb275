/// The properties of a field that decoding and encoding need. Trivial, so that a copy costs no
/// reference counting.
struct FieldLayout: Sendable {
    enum Shape: UInt8, Sendable {
        /// One value. The field is absent when the value is zero.
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
    /// Whether the enum of the field has no numbers other than its declared ones.
    let isClosedEnum: Bool
    /// The index of the field's message or enum; -1 for other types.
    let target: Int32
    /// The index of the field's oneof; -1 when it is in none.
    let oneof: Int32
    /// Whether the oneof has other fields. Setting this field then clears the other fields.
    var sharesOneof = false
    /// Whether the field is a message in which a required field can be missing, at any depth.
    var needsRequiredCheck = false

    var isSingular: Bool { shape.rawValue <= Shape.required.rawValue }
    var hasPresence: Bool { shape == .explicit || shape == .required }
    var targetIndex: Int { Int(target) }
}
