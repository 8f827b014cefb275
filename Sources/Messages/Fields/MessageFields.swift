// Messages, groups, enums, and the two strings.
extension FieldVisitor {
    @inlinable
    @inline(__always)
    public mutating func message<M: Message>(
        _ number: UInt32, _ value: inout M?
    ) throws(WireError) { try optional(MessageKind<M>(), number, &value) }

    /// A message inside a message of its own type, by the storage of its ``Indirect`` property.
    @inlinable
    @inline(__always)
    public mutating func message<M: Message>(
        _ number: UInt32, _ value: inout Indirect<M>
    ) throws(WireError) { try indirect(MessageKind<M>(), number, &value) }

    @inlinable
    @inline(__always)
    public mutating func message<M: Message>(
        _ number: UInt32, _ values: inout [M]
    ) throws(WireError) { try repeated(MessageKind<M>(), number, &values) }

    @inlinable
    @inline(__always)
    public mutating func group<M: Message>(
        _ number: UInt32, _ value: inout M?
    ) throws(WireError) { try optional(GroupKind<M>(), number, &value) }

    @inlinable
    @inline(__always)
    public mutating func group<M: Message>(
        _ number: UInt32, _ values: inout [M]
    ) throws(WireError) { try repeated(GroupKind<M>(), number, &values) }

    @inlinable
    @inline(__always)
    public mutating func enumeration<E: OpenEnum>(
        _ number: UInt32, _ value: inout E
    ) throws(WireError) { try singular(EnumKind<E>(), number, &value) }

    @inlinable
    @inline(__always)
    public mutating func enumeration<E: OpenEnum>(
        _ number: UInt32, _ value: inout E?
    ) throws(WireError) { try optional(EnumKind<E>(), number, &value) }

    @inlinable
    @inline(__always)
    public mutating func enumeration<E: OpenEnum>(
        _ number: UInt32, _ values: inout [E], packed: Bool = true
    ) throws(WireError) { try packable(EnumKind<E>(), number, &values, isPacked: packed) }
}
