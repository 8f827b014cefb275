/// A message inside a message of its own type. A plain property cannot store it.
///
/// ```swift
/// struct Node: Message {
///     @Indirect var next: Node?
///     var unknownFields = UnknownFields()
///
///     static let layout = Layout<Self> { field in
///         field.message(1, \._next)
///     }
/// }
/// ```
///
/// The list names the storage, `_next`. The program stops if it names `next`, which is computed.
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
