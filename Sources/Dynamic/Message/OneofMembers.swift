/// The member of each oneof that was set last, in a message with many fields.
///
/// Without it, setting a member means a search for the other members among all fields of the message. A peer
/// that sends members in turn would make each of its bytes cost that search.
///
/// Invariant: contains the present member of each oneof. A member that is contained may be absent, because fields
/// can be cleared.
final class OneofMembers {
    private var numbers: [Int32: UInt32] = [:]

    init(_ entries: Span<DynamicEntry>, _ layouts: [FieldLayout]) {
        for index in entries.indices where entries[index].isPresent {
            let oneof = layouts[Int(entries[index].field)].oneof
            if oneof >= 0 { numbers[oneof] = entries[index].number }
        }
    }

    /// Records that the field `number` is set next. Returns the member that was set before it; nil if there
    /// is none, or if it is the same field.
    func set(_ number: UInt32, in oneof: Int32) -> UInt32? {
        let old = numbers.updateValue(number, forKey: oneof)
        return old == number ? nil : old
    }
}
