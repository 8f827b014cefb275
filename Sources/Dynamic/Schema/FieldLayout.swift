/// What coding needs of a field. Trivial, so that a copy costs no reference counting.
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

    var isSingular: Bool { shape.rawValue <= Shape.required.rawValue }
    var hasPresence: Bool { shape == .explicit || shape == .required }
    var targetIndex: Int { Int(target) }
}

/// What coding needs of a message.
struct MessageLayout: Sendable {
    /// The indices of the fields with small numbers, by number; -1 where there is none.
    private let dense: [Int32]
    /// The indices of the other fields.
    private let sparse: [UInt32: Int32]

    /// Whether a required field can be missing in the message or below it.
    var needsRequiredCheck = false
    /// The required fields.
    let required: [Int32]
    /// For an entry of a map: the indices of the key and the value.
    let entry: (key: Int32, value: Int32)?
    /// A message set encodes its extensions in groups of number 1.
    let isMessageSet: Bool

    private static let maxDenseNumber: UInt32 = 255

    init(fields: Range<Int>, layouts: [FieldLayout], isMapEntry: Bool, isMessageSet: Bool) {
        var dense: [Int32] = []
        var sparse: [UInt32: Int32] = [:]
        for index in fields {
            let number = layouts[index].number
            guard number <= Self.maxDenseNumber else {
                sparse[number] = Int32(index)
                continue
            }
            while dense.count <= number { dense.append(-1) }
            dense[Int(number)] = Int32(index)
        }
        required = fields.filter { layouts[$0].shape == .required }.map { Int32($0) }
        self.isMessageSet = isMessageSet
        entry = isMapEntry ? (dense[1], dense[2]) : nil
        self.dense = dense
        self.sparse = sparse
    }

    /// The index of the field with that number; -1 when there is none.
    @inline(__always)
    func index(of number: UInt32) -> Int {
        if number < dense.count { return Int(dense[Int(number)]) }
        return sparse.isEmpty ? -1 : Int(sparse[number] ?? -1)
    }
}
