/// The properties of a message type that encoding and decoding need. All members are trivial, so that a copy
/// costs no reference counting.
@usableFromInline
package struct MessageLayout: Sendable {
    /// The range of the message's fields in the tables of ``FieldTables``.
    @usableFromInline package let dense: Range<Int32>
    @usableFromInline package let required: Range<Int32>
    @usableFromInline package let hasSparse: Bool
    @usableFromInline package let hasExtensions: Bool

    /// Whether a required field can be missing in the message, or in a message inside it.
    @usableFromInline package var needsRequiredCheck = false
    /// For an entry of a map: the indices of the key and the value.
    @usableFromInline package let entry: (key: Int32, value: Int32)?
    /// A message set encodes its extensions in groups of number 1.
    @usableFromInline package let isMessageSet: Bool
}

/// The fields of all messages by their numbers, and the required fields. Extensions are not included.
@usableFromInline
package struct FieldTables: Sendable {
    /// The indices of the fields with small numbers, by message and number; -1 where there is none.
    @usableFromInline private(set) var dense: [Int32] = []
    /// The indices of the other fields.
    @usableFromInline private(set) var sparse: [Key: Int32] = [:]
    /// The required fields by message.
    private var required: [Int32] = []

    @usableFromInline
    struct Key: Hashable, Sendable {
        let message: Int
        let number: UInt32

        @usableFromInline
        init(message: Int, number: UInt32) {
            self.message = message
            self.number = number
        }
    }

    private static let maxDenseNumber: UInt32 = 255

    /// Adds the fields of a message.
    mutating func add(
        message: Int, fields: Range<Int>, layouts: [FieldLayout], isMapEntry: Bool,
        isMessageSet: Bool, hasExtensions: Bool
    ) -> MessageLayout {
        let denseStart = dense.count
        let requiredStart = required.count
        var hasSparse = false
        for index in fields {
            let number = layouts[index].number
            if layouts[index].shape == .required { required.append(Int32(index)) }
            guard number <= Self.maxDenseNumber else {
                sparse[Key(message: message, number: number)] = Int32(index)
                hasSparse = true
                continue
            }
            while dense.count - denseStart <= number { dense.append(-1) }
            dense[denseStart + Int(number)] = Int32(index)
        }
        return MessageLayout(
            dense: Int32(denseStart)..<Int32(dense.count),
            required: Int32(requiredStart)..<Int32(required.count), hasSparse: hasSparse,
            hasExtensions: hasExtensions,
            entry: isMapEntry ? (dense[denseStart + 1], dense[denseStart + 2]) : nil,
            isMessageSet: isMessageSet)
    }

    /// The index of the field with that number; -1 when there is none.
    @inlinable @inline(__always)
    package func index(of number: UInt32, in message: Int, _ layout: MessageLayout) -> Int {
        if number < layout.dense.count {
            return Int(dense[Int(layout.dense.lowerBound) &+ Int(number)])
        }
        guard layout.hasSparse else { return -1 }
        return Int(sparse[Key(message: message, number: number)] ?? -1)
    }

    /// The indices of the required fields.
    package func required(of layout: MessageLayout) -> ArraySlice<Int32> {
        required[Int(layout.required.lowerBound)..<Int(layout.required.upperBound)]
    }
}
