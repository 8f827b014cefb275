/// A message that drops received fields that are not in its list.
///
/// ```swift
/// struct Ping: DropsUnknownFields {
///     var id: UInt64 = 0
///
///     static let layout = Layout<Self> { field in
///         field.uint64(1, \.id)
///     }
/// }
/// ```
///
/// A newer server may send fields that the program does not have. When this message is decoded, it drops
/// them: the program cannot send them on, and the text form does not show them. Conform to this protocol only
/// if the program never passes the message on. Every other message conforms to ``Message`` and stores
/// `var unknownFields = UnknownFields()`. This property costs a pointer and, while it is empty, no memory
/// allocation.
public protocol DropsUnknownFields: Message {}

extension DropsUnknownFields {
    /// Always empty. An assigned value is dropped.
    public var unknownFields: UnknownFields {
        get { UnknownFields() }
        set {}
    }
}
