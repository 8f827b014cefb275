extension Sequence {
    /// The elements in an order that is stable. For few elements, away from the paths of calls.
    ///
    /// It sorts the places of the elements. The standard library's functions are compiled again for each type of
    /// element and each closure, with three kilobytes each time.
    package func inOrder(by precedes: (Element, Element) -> Bool) -> [Element] {
        let elements = Array(self)
        return sortedIndices(elements.count) { precedes(elements[$0], elements[$1]) }
            .map { elements[$0] }
    }
}

extension Sequence where Element: Comparable {
    /// The elements in ascending order. See ``inOrder(by:)``.
    package func inOrder() -> [Element] { inOrder(by: <) }
}

@inline(never)
private func sortedIndices(_ count: Int, by precedes: (Int, Int) -> Bool) -> [Int] {
    (0..<count).sorted(by: precedes)
}
