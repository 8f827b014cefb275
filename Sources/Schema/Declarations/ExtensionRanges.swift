package import SwiftletMessages

/// The numbers that extensions of a message can have.
package struct ExtensionRanges: Sendable {
    package typealias Range = Google.Protobuf.DescriptorProto.ExtensionRange
    package typealias Declaration = Google.Protobuf.ExtensionRangeOptions.Declaration

    /// Sorted by their starts.
    private let ranges: [Range]

    package init(_ ranges: [Range]) {
        self.ranges = ranges.inOrder { ($0.start ?? 0) < ($1.start ?? 0) }
    }

    /// Two ranges with a number in common; nil if there are none.
    package var overlap: (Range, Range)? {
        zip(ranges, ranges.dropFirst()).first { ($0.end ?? 0) > ($1.start ?? 0) }
    }

    /// The declarations of extensions in the options of the ranges, by their numbers. Of two with one number, the first.
    package var declarations: [Int32: Declaration] {
        Dictionary(
            ranges.flatMap { $0.options?.declaration ?? [] }.map { ($0.number ?? 0, $0) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The range that has the number; nil if there is none. Correct only for ranges that do not overlap.
    package func range(with number: Int32) -> Range? {
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].end ?? 0 <= number {
                low = middle + 1
            } else {
                high = middle
            }
        }
        guard low < ranges.count, (ranges[low].start ?? 0) <= number else { return nil }
        return ranges[low]
    }
}
