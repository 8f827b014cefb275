/// A message that drops received fields that are not in its list.
///
/// ```swift
/// struct Ping: DropsUnknownFields {
///     var id: UInt64 = 0
///
///     mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
///         try field.uint64(1, &id)
///     }
/// }
/// ```
///
/// A newer server may send fields that the program does not know. This message loses them when it is
/// decoded: the program cannot send them on, and the text form does not show them. Conform to it only
/// when the program never passes the message on. Every other message conforms to ``Message`` and stores
/// `var unknownFields = UnknownFields()`, which costs a pointer and, while it is empty, no memory
/// allocation.
public protocol DropsUnknownFields: Message {}

extension DropsUnknownFields {
    /// Always empty. An assigned value is dropped.
    @inlinable
    public var unknownFields: UnknownFields {
        get { UnknownFields() }
        set {}
    }
}
