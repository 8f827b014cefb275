// The message is an `inout` argument of `visit`, because the decoder writes to it. The writer only reads it.
// A copy of the message would retain and release everything that the message refers to, which costs more than
// the encoding. So the writer visits the original, in place.
//
// A debug build visits a copy: ThreadSanitizer reports every `inout` access to shared memory as a
// write.

extension FieldWriter {
    /// Visits `message`.
    ///
    /// Safe because nothing is written: ``VisitedMemory`` stops the program before Swift writes a
    /// property back, and ``Message/visit(_:)`` must not assign to the message, which a debug build
    /// checks.
    @inlinable
    @inline(__always)
    mutating func visitInPlace<M: Message>(_ message: UnsafePointer<M>) throws(WireError) {
        let outer = visited
        defer { visited = outer }
        #if DEBUG
            MessageCheck.onFirstUse(of: M.self)
            var copy = unsafe message.pointee
            try unsafe withUnsafeMutablePointer(to: &copy) { copy throws(WireError) in
                visited = unsafe VisitedMemory(of: UnsafePointer(copy))
                try unsafe visitUnchanged(copy)
            }
        #else
            visited = unsafe VisitedMemory(of: message)
            try unsafe UnsafeMutablePointer(mutating: message).pointee.visit(&self)
        #endif
    }

    /// Visits a private copy, and stops the program if it changes.
    @inlinable
    mutating func visitUnchanged<M: Message>(
        _ message: UnsafeMutablePointer<M>
    ) throws(WireError) {
        let bytes = unsafe UnsafeRawBufferPointer(start: message, count: MemoryLayout<M>.size)
        let before = unsafe [UInt8](bytes)
        try unsafe message.pointee.visit(&self)
        if unsafe !before.elementsEqual(bytes) {
            ProgramError.stop("\(M.self).visit(_:) changes the message while it is encoded")
        }
    }
}

/// The memory of the message that is visited in place.
///
/// Swift passes a stored property by its address inside the message. It passes any other property
/// (computed, lazy, observed, wrapped) as a temporary copy, and writes that copy back when the
/// visitor returns. Other threads may read the message at that time. So, if an address is outside of the
/// message, a write would follow, and the program stops before it.
@frozen
@usableFromInline
struct VisitedMemory {
    @usableFromInline let start: UInt
    @usableFromInline let byteCount: UInt

    @inlinable
    @inline(__always)
    init<M: Message>(of message: UnsafePointer<M>) {
        start = UInt(bitPattern: message)
        byteCount = UInt(bitPattern: MemoryLayout<M>.size)
    }

    /// An empty range. It is used before a message is visited: every address is outside of it.
    @inlinable
    init() {
        start = 0
        byteCount = 0
    }

    /// Stops the program if `property` is a temporary copy.
    @inlinable
    @inline(__always)
    func require<Property>(_ property: inout Property, _ number: UInt32) {
        // A property of size zero has no meaningful address, and Swift writes nothing back for it.
        guard MemoryLayout<Property>.size > 0 else { return }
        let address = unsafe withUnsafePointer(to: &property) { UInt(bitPattern: $0) }
        guard address &- start < byteCount else { ProgramError.stopNotStored(number) }
    }
}

/// Lends the value of an optional that is not nil, without a copy.
@inlinable
@inline(__always)
func withBorrowed<Value>(_ optional: inout Value?, _ body: (UnsafePointer<Value>) -> Void) {
    // Safe: the caller has checked that there is a value, and an optional stores it at its start.
    unsafe withUnsafePointer(to: &optional) { pointer in
        unsafe body(UnsafeRawPointer(pointer).assumingMemoryBound(to: Value.self))
    }
}
