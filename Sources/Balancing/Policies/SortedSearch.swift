extension RandomAccessCollection where Index == Int {
    /// The first place whose element `isBehind`, in a collection that has all such elements at its end; the end if there
    /// is none.
    @inlinable
    package func firstPlace(where isBehind: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
