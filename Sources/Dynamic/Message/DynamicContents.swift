/// The fields of a message with their values, and its unknown fields.
///
/// A struct, so that a decoder fills a local value: access to a stored property of a class is checked for
/// exclusivity at run time, which would cost more than most fields do.
///
/// Invariant: `entries` are by ascending number, each number once, and no list or map in them is empty.
struct DynamicContents: Sendable, Equatable {
    /// A field that is present.
    struct Entry: Sendable, Equatable {
        let number: UInt32
        /// The index of the field in the pool.
        let field: Int32
        var value: DynamicValue
    }

    private(set) var entries: [Entry] = []
    var unknown: [UInt8] = []

    // MARK: Reading

    /// The index of the entry with that number, or of the one that would follow it.
    @inline(__always)
    func position(of number: UInt32) -> (index: Int, isPresent: Bool) {
        let count = entries.count
        // Senders write fields by ascending number, so most are new and last.
        guard count > 0, entries[count - 1].number >= number else { return (count, false) }
        if entries[count - 1].number == number { return (count - 1, true) }
        var low = 0
        var high = count - 1
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return (low, entries[low].number == number)
    }

    func value(_ number: UInt32) -> DynamicValue? {
        let (index, isPresent) = position(of: number)
        return isPresent ? entries[index].value : nil
    }

    // MARK: Writing

    /// Makes room for the first `count` fields.
    @inline(__always)
    mutating func reserve(_ count: Int) {
        if entries.isEmpty, count > 0 { entries.reserveCapacity(count) }
    }

    /// Adds a field that is absent. `index` is the position of its number.
    @inline(__always)
    mutating func insert(_ value: DynamicValue, number: UInt32, field: Int, at index: Int) {
        let entry = Entry(number: number, field: Int32(truncatingIfNeeded: field), value: value)
        if index == entries.count {
            entries.append(entry)
        } else {
            entries.insert(entry, at: index)
        }
    }

    /// Stores a value that has been checked. The other fields of its oneof must be absent.
    @inline(__always)
    mutating func store(_ value: DynamicValue, number: UInt32, field: Int) {
        let (index, isPresent) = position(of: number)
        if isPresent {
            entries[index].value = value
        } else {
            insert(value, number: number, field: field, at: index)
        }
    }

    /// Changes the value of a field in place. `initial` is its value if it is absent.
    @inline(__always)
    mutating func update<Failure: Error>(
        _ number: UInt32, field: Int, initial: @autoclosure () -> DynamicValue,
        _ body: (inout DynamicValue) throws(Failure) -> Void
    ) throws(Failure) {
        let (index, isPresent) = position(of: number)
        if !isPresent { insert(initial(), number: number, field: field, at: index) }
        try body(&entries[index].value)
    }

    /// Moves a value out, so that it has one owner and changes in place. `put` must bring it back.
    mutating func take(at index: Int) -> DynamicValue {
        var value = DynamicValue.bool(false)
        swap(&value, &entries[index].value)
        return value
    }

    /// Brings back a value that `take` moved out.
    mutating func put(_ value: DynamicValue, at index: Int) { entries[index].value = value }

    mutating func clear(_ number: UInt32) {
        let (index, isPresent) = position(of: number)
        if isPresent { entries.remove(at: index) }
    }

    /// Clears the fields of a oneof, all but one.
    mutating func clear(oneof: Int32, but number: UInt32, layouts: [FieldLayout]) {
        for index in entries.indices.reversed() {
            let entry = (number: entries[index].number, field: Int(entries[index].field))
            if entry.number != number, layouts[entry.field].oneof == oneof {
                entries.remove(at: index)
            }
        }
    }
}
