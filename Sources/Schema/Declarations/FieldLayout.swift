/// The properties of a field that decoding and encoding need. Trivial, so that a copy costs no
/// reference counting.
package struct FieldLayout: Sendable {
    package enum Shape: UInt8, Sendable {
        /// One value. The field is absent when the value is zero.
        case implicit
        /// One value with presence.
        case explicit
        /// One value that must be present.
        case required
        case list
        case map
    }

    package let number: UInt32
    package let type: FieldType
    package let shape: Shape
    package let isPacked: Bool
    package let validatesUTF8: Bool
    /// Whether the enum of the field has no numbers other than its declared ones.
    package let isClosedEnum: Bool
    /// The index of the field's message or enum; -1 for other types.
    package let target: Int32
    /// The index of the field's oneof; -1 when it is in none.
    package let oneof: Int32
    /// Whether the oneof has other fields. Setting this field then clears the other fields.
    package var sharesOneof = false
    /// Whether the field is a message in which a required field can be missing, at any depth.
    package var needsRequiredCheck = false

    @inlinable package var isSingular: Bool { shape.rawValue <= Shape.required.rawValue }
    @inlinable package var hasPresence: Bool { shape == .explicit || shape == .required }
    @inlinable package var targetIndex: Int { Int(target) }
}
