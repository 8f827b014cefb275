/// Octets to be written, in order: small ones in one buffer, large ones where they lie.
package struct GatherList: Sendable {
    package struct Reference: Sendable {
        /// How many of the small octets come before it.
        package var position: Int
        package var octets: [UInt8]
        package var range: Range<Int>
    }

    /// The small octets, one behind the other. Appending to it is appending to the list.
    package var octets: [UInt8] = []
    package private(set) var references: [Reference] = []
    private var referencedByteCount = 0

    /// Below this size a copy costs less than another piece to gather.
    static let referencingByteCount = 2 << 10

    package init() {}

    package var byteCount: Int { octets.count + referencedByteCount }
    package var isEmpty: Bool { byteCount == 0 }
}

extension GatherList {
    package mutating func append(_ octets: [UInt8], _ range: Range<Int>) {
        if range.count < Self.referencingByteCount {
            self.octets.append(copying: octets.span.extracting(range))
        } else {
            referencedByteCount += range.count
            references.append(
                Reference(position: self.octets.count, octets: octets, range: range))
        }
    }

    package mutating func append(contentsOf other: GatherList) {
        let offset = octets.count
        octets += other.octets
        referencedByteCount += other.referencedByteCount
        for var reference in other.references {
            reference.position += offset
            references.append(reference)
        }
    }

    package mutating func removeAll() {
        octets.removeAll(keepingCapacity: true)
        references.removeAll(keepingCapacity: true)
        referencedByteCount = 0
    }
}
