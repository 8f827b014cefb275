// Messages, groups and enums.
extension FieldVisitor {
    /// A message: nil when it is absent.
    @inlinable
    @inline(__always)
    public mutating func message<M: Message>(
        _ number: UInt32, _ value: inout M?
    ) throws(WireError) { try optional(MessageKind<M>(), number, &value) }

    /// A message field of a recursive type. `value` is the storage of its `@Indirect` property.
    @inlinable
    @inline(__always)
    public mutating func message<M: Message>(
        _ number: UInt32, _ value: inout Indirect<M>
    ) throws(WireError) { try indirect(MessageKind<M>(), number, &value) }

    /// `repeated` of a message.
    @inlinable
    @inline(__always)
    public mutating func message<M: Message>(
        _ number: UInt32, _ values: inout [M]
    ) throws(WireError) { try repeated(MessageKind<M>(), number, &values) }

    /// proto2's `optional group`: nil when it is absent.
    @inlinable
    @inline(__always)
    public mutating func group<M: Message>(
        _ number: UInt32, _ value: inout M?
    ) throws(WireError) { try optional(GroupKind<M>(), number, &value) }

    /// proto2's `repeated group`.
    @inlinable
    @inline(__always)
    public mutating func group<M: Message>(
        _ number: UInt32, _ values: inout [M]
    ) throws(WireError) { try repeated(GroupKind<M>(), number, &values) }

    /// An enum, omitted when its value is 0.
    @inlinable
    @inline(__always)
    public mutating func enumeration<E: OpenEnum>(
        _ number: UInt32, _ value: inout E
    ) throws(WireError) { try singular(EnumKind<E>(), number, &value) }

    /// `optional` of an enum: nil when it is absent; encoded when it is 0.
    @inlinable
    @inline(__always)
    public mutating func enumeration<E: OpenEnum>(
        _ number: UInt32, _ value: inout E?
    ) throws(WireError) { try optional(EnumKind<E>(), number, &value) }

    /// `repeated` of an enum, packed; with `packed: false`, proto2's default, a tag for each value.
    @inlinable
    @inline(__always)
    public mutating func enumeration<E: OpenEnum>(
        _ number: UInt32, _ values: inout [E], packed: Bool = true
    ) throws(WireError) { try packable(EnumKind<E>(), number, &values, isPacked: packed) }
}
