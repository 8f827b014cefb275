/// A message inside a message of its own type. A plain property cannot store it.
///
/// ```swift
/// struct Node: Message {
///     @Indirect var next: Node?
///     var unknownFields = UnknownFields()
///
///     mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
///         try field.message(1, &_next)
///     }
/// }
/// ```
///
/// The list passes the storage, `_next`. If it passed `&next`, Swift would copy the message and write the
/// copy back at each visit, so encoding stops the program. Swift makes the storage `_next` private, so that
/// an `@inlinable` function or another file cannot use it. In that case, declare the storage yourself:
///
/// ```swift
/// public struct Node: Message {
///     var _next = Indirect<Node>()
///     public var unknownFields = UnknownFields()
///
///     public var next: Node? {
///         get { _next.wrappedValue }
///         set { _next.wrappedValue = newValue }
///     }
/// }
/// ```
///
/// There is no projected value `$next`. Swift would read it as a copy and write it back. If a message arrives
/// in parts, each part would then copy all the parts before it.
@propertyWrapper
public struct Indirect<Value: Sendable>: Sendable {
    /// Invariant: at most one element. An array serves as a box that is copied on write.
    var elements: [Value]

    public init(wrappedValue: Value?) {
        elements = wrappedValue.map { [$0] } ?? []
    }

    public init() { elements = [] }

    public var wrappedValue: Value? {
        get { elements.first }
        set { elements = newValue.map { [$0] } ?? [] }
    }
}

extension Indirect: Equatable where Value: Equatable {}
extension Indirect: Hashable where Value: Hashable {}
