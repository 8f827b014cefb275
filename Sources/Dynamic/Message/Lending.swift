import SwiftletMessages

extension UnsafeBufferPointer {
    /// Calls `body` with each element from the last to the first. The elements are not retained for it.
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

extension [DynamicValue] {
    /// Calls `body` with each element from the last to the first. The elements are not retained for it.
    @inline(__always)
    func lendBackward(_ body: (borrowing Lent<DynamicValue>) -> Void) {
        // Safe: the array does not change while this function has it.
        unsafe withUnsafeBufferPointer { elements in unsafe elements.lendBackward(body) }
    }
}
