/// A value that is used in place.
///
/// The compiler retains a value that it reads from memory when it cannot prove that the memory stays as it
/// is meanwhile. For short fields, that costs as much as to encode them. This type cannot be copied, so the
/// compiler uses the value where it is.
@frozen
@usableFromInline
package struct Lent<Value>: ~Copyable {
    @usableFromInline package let value: Value

    /// The same address, as that of a lent value.
    ///
    /// Safe if the memory does not change while the result is used: a struct with one property has the
    /// layout of that property.
    @inlinable
    @inline(__always)
    package static func at(_ address: UnsafePointer<Value>) -> UnsafePointer<Lent<Value>> {
        unsafe UnsafeRawPointer(address).assumingMemoryBound(to: Lent<Value>.self)
    }
}
