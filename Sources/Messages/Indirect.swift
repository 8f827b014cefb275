/// A message inside a message of its own type, which a plain property cannot hold.
///
/// ```swift
/// struct Node: Message {
///     @Indirect var next: Node?
///
///     mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
///         try field.message(1, &_next)
///     }
/// }
/// ```
///
/// The list names the storage, `_next`: handed over as `&next`, the message would be copied out
/// and in at each walk. Where the storage cannot be named, in an `@inlinable` function or in another
/// file, `$next` stands for it, at the price of a few retains.
@frozen
@propertyWrapper
public struct Indirect<Value: Sendable>: Sendable {
    /// Invariant: one element or none. An array is a box that is copied when it is written.
    @usableFromInline var elements: [Value]

    /// The storage, as public as the property.
    @inlinable
    public var projectedValue: Indirect {
        get { self }
        _modify { yield &self }
    }

    @inlinable
    public init(wrappedValue: Value?) {
        elements = wrappedValue.map { [$0] } ?? []
    }

    @inlinable
    public init() { elements = [] }

    @inlinable
    public var wrappedValue: Value? {
        get { elements.first }
        set { elements = newValue.map { [$0] } ?? [] }
    }
}

extension Indirect: Equatable where Value: Equatable {}
extension Indirect: Hashable where Value: Hashable {}
