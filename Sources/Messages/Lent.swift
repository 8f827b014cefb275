/// A value that is used in place.
///
/// The compiler retains a value that it reads from memory, unless it can prove that the memory does not
/// change in the meantime. For short fields, the retain costs as much as the encoding. This type cannot be
/// copied, so the compiler uses the value in place.
package struct Lent<Value>: ~Copyable {
    package let value: Value

    /// The same address, as the address of a lent value.
    ///
    /// Safe if the memory does not change while the result is used: a struct with one property has the
    /// layout of that property.
    @inline(__always)
    package static func at(_ address: UnsafePointer<Value>) -> UnsafePointer<Lent<Value>> {
        unsafe UnsafeRawPointer(address).assumingMemoryBound(to: Lent<Value>.self)
    }
}
