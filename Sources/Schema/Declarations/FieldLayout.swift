/// The properties of a field that decoding and encoding need. Trivial, so that a copy costs no
/// reference counting.
@usableFromInline
package struct FieldLayout: Sendable {
    @usableFromInline
    package enum Shape: Sendable {
        /// One value. The field is absent when the value is zero.
        case implicit
        /// One value with presence.
        case explicit
        /// One value that must be present.
        case required
        case list
        case map
    }

    @usableFromInline package let number: UInt32
    @usableFromInline package let type: FieldType
    @usableFromInline package let shape: Shape
    @usableFromInline package let isPacked: Bool
    @usableFromInline package let validatesUTF8: Bool
    /// Whether the enum of the field has no numbers other than its declared ones.
    @usableFromInline package let isClosedEnum: Bool
    /// The index of the field's message or enum; -1 for other types.
    @usableFromInline package let target: Int32
    /// The index of the field's oneof; -1 when it is in none.
    @usableFromInline package let oneof: Int32
    /// Whether the oneof has other fields. Setting this field then clears the other fields.
    @usableFromInline package var sharesOneof = false
    /// Whether the field is a message in which a required field can be missing, at any depth.
    @usableFromInline package var needsRequiredCheck = false

    @inlinable package var isSingular: Bool {
        switch shape {
        case .implicit, .explicit, .required: true
        case .list, .map: false
        }
    }
    @inlinable package var hasPresence: Bool { shape == .explicit || shape == .required }
    @inlinable package var targetIndex: Int { Int(target) }
}
