// Walks take a message by reference, because the decoder writes through it. The sizer and the writer
// only read, and a copy for them would retain and release all that the message refers to, which
// costs more than the encoding. So they walk the original.

extension Message {
    /// Walks the message with a visitor that only reads.
    ///
    /// Safe as long as ``visit(_:)`` keeps its promise not to change the message by itself: nothing
    /// is written then, though the reference would allow it. A debug build checks the promise.
    @inlinable
    @inline(__always)
    static func walk(_ pointer: UnsafePointer<Self>, _ visitor: inout some FieldVisitor) {
        #if DEBUG
            let size = MemoryLayout<Self>.size
            let before = unsafe [UInt8](UnsafeRawBufferPointer(start: pointer, count: size))
        #endif
        do throws(WireError) {
            try unsafe UnsafeMutablePointer(mutating: pointer).pointee.visit(&visitor)
        } catch {
            preconditionFailure("\(Self.self).visit throws while it is encoded: \(error)")
        }
        #if DEBUG
            let after = unsafe UnsafeRawBufferPointer(start: pointer, count: size)
            unsafe precondition(
                before.elementsEqual(after), "\(Self.self).visit changes what it visits")
        #endif
    }
}

/// Lends what an optional holds, without a copy.
@inlinable
@inline(__always)
func withBorrowed<Value>(_ optional: inout Value?, _ body: (UnsafePointer<Value>) -> Void) {
    // Safe: the caller has seen that there is a value, and an optional keeps it at its beginning.
    unsafe withUnsafePointer(to: &optional) { pointer in
        unsafe body(UnsafeRawPointer(pointer).assumingMemoryBound(to: Value.self))
    }
}
