/// Where an array stores its elements, found by the array's address.
///
/// An array stores its elements after the same header, whatever they are. A message type checks that for its own arrays
/// at its first use. To ask for the type of the array would take longer than to read it.
@safe
struct ListElements {
    let first: UnsafeRawPointer
    let count: Int

    /// Safe if the array does not change as long as the result is used.
    @inline(__always)
    init(at array: UnsafeRawPointer) {
        // The address leaves the closure, because the compiler would retain the array for a closure that does more.
        let bytes = unsafe Lent.at(array.assumingMemoryBound(to: [UInt8].self)).pointee.value
            .withUnsafeBufferPointer { unsafe $0 }
        unsafe first = UnsafeRawPointer(bytes.baseAddress.unsafelyUnwrapped)
        count = bytes.count
    }

    /// The addresses of the elements.
    @inline(__always)
    func forEach(stride: Int, _ body: (UnsafeRawPointer) -> Void) {
        var next = unsafe first
        for _ in 0..<count {
            unsafe body(next)
            unsafe next += stride
        }
    }
}
