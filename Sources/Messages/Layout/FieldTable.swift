/// The fields of a message type. Made at the type's first use, and never freed.
@safe
@usableFromInline
package struct FieldTable {
    /// In the order of the list. After the last one follows an entry that no tag matches.
    package let entries: UnsafePointer<TableEntry>
    package let count: Int
    /// Where the message stores its unknown fields. Nil if it computes them.
    let unknownFieldsOffset: Int?
    /// Whether the message has the eight bytes that an ``Absence`` looks at.
    let hasEightBytes: Bool
    package let type: Unmanaged<MessageType>

    /// For each number below `directCount`: one more than the field's index; 0 if there is none.
    private let direct: UnsafePointer<UInt16>
    private let directCount: UInt32
    /// The indices of the other fields, in the order of the numbers.
    private let rest: UnsafeBufferPointer<UInt16>
}

// MARK: - Finding a field

extension FieldTable {
    /// The field that a tag belongs to; nil if there is none, or if its values have another wire type.
    package func entry(for tag: UInt32) -> UnsafePointer<TableEntry>? {
        guard let index = index(of: tag &>> 3) else { return nil }
        let entry = unsafe entries + index
        return unsafe entry.pointee.tag == tag || entry.pointee.otherTag == tag ? entry : nil
    }

    private func index(of number: UInt32) -> Int? {
        if number < directCount {
            // Safe: `direct` has `directCount` elements.
            let place = unsafe direct[Int(number)]
            return place == 0 ? nil : Int(place) - 1
        }
        var low = 0
        var high = unsafe rest.count
        while low < high {
            let middle = (low + high) / 2
            // Safe: every index is that of an entry.
            let index = unsafe Int(rest[middle])
            let found = unsafe entries[index].number
            if found == number { return index }
            if found < number { low = middle + 1 } else { high = middle }
        }
        return nil
    }
}

// MARK: - Making a table

extension FieldTable {
    /// Makes the table of `M`. Stops the program if the list has a mistake.
    static func make<M: Message>(_ list: (FieldList<M>) -> Void) -> UnsafePointer<FieldTable> {
        let fields = FieldList<M>()
        list(fields)
        let table = UnsafeMutablePointer<FieldTable>.allocate(capacity: 1)
        unsafe table.initialize(
            to: FieldTable(fields.entries, MessageTypeOf<M, [M]>(), MemoryLayout<M>.size))
        return unsafe UnsafePointer(table)
    }

    private init(_ list: [TableEntry], _ type: MessageType, _ messageByteCount: Int) {
        hasEightBytes = messageByteCount >= Absence.width
        let memory = UnsafeMutableBufferPointer<TableEntry>.allocate(capacity: list.count + 1)
        _ = unsafe memory.initialize(fromContentsOf: list + [.end])
        // Safe: the buffer is not empty.
        unsafe entries = UnsafePointer(memory.baseAddress.unsafelyUnwrapped)
        count = list.count
        unsafe self.type = Unmanaged.passRetained(type)
        unknownFieldsOffset = type.unknownFieldsOffset()

        let directCount = 4 * UInt32(list.count) + 16
        let direct = UnsafeMutablePointer<UInt16>.allocate(capacity: Int(directCount))
        unsafe direct.initialize(repeating: 0, count: Int(directCount))
        var others: [UInt16] = []
        for (index, field) in list.enumerated() {
            if field.number < directCount {
                unsafe direct[Int(field.number)] = UInt16(index + 1)
            } else {
                // Lists are in the order of the numbers, so the place is nearly always the end.
                let place = others.lastIndex { list[Int($0)].number < field.number }
                others.insert(UInt16(index), at: place.map { $0 + 1 } ?? 0)
            }
        }
        let rest = UnsafeMutableBufferPointer<UInt16>.allocate(capacity: others.count)
        _ = unsafe rest.initialize(fromContentsOf: others)
        unsafe self.direct = UnsafePointer(direct)
        self.directCount = directCount
        unsafe self.rest = UnsafeBufferPointer(rest)
    }
}
