import SwiftletMessages

extension UnsafeBufferPointer {
    /// Calls `body` with each element, from the last to the first. Does not retain the elements.
    ///
    /// Safe if the memory does not change until this returns.
    @inline(__always)
    func lendBackward(_ body: (borrowing Lent<Element>) -> Void) {
        guard let start = baseAddress else { return }
        let elements = unsafe Lent.at(start)
        var index = count
        while index > 0 {
            index &-= 1
            unsafe body(elements[index])
        }
    }
}

extension Array {
    /// Calls `body` with each element, from the last to the first. Does not retain the elements.
    @inline(__always)
    func lendBackward(_ body: (borrowing Lent<Element>) -> Void) {
        // Safe: the array does not change while this function runs.
        unsafe withUnsafeBufferPointer { elements in unsafe elements.lendBackward(body) }
    }
}
