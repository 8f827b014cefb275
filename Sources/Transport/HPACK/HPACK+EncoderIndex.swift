extension HPACK {
    /// Finds the fields of the encoder's dynamic table by the hash of a name, or of name and value.
    ///
    /// Two hash tables with chains. A chain runs from younger to older fields, so it ends where
    /// the table begins, and a field that leaves the table needs not be unlinked.
    struct EncoderIndex {
        private struct Link {
            var fieldHash: UInt64 = 0
            var nameHash: UInt64 = 0
            var nextField = -1
            var nextName = -1
        }

        /// By number, at `number & mask`, like the table's own fields.
        private var links: [Link]
        /// The youngest field with a hash, at `hash & mask`, or −1.
        private var fieldHeads: [Int]
        private var nameHeads: [Int]
        private let mask: Int

        init(capacity: Int) {
            assert(capacity.nonzeroBitCount == 1)
            links = Array(repeating: Link(), count: capacity)
            fieldHeads = Array(repeating: -1, count: capacity)
            nameHeads = Array(repeating: -1, count: capacity)
            mask = capacity - 1
        }
    }
}

extension HPACK.EncoderIndex {
    /// Remembers the field that `table` has inserted last.
    mutating func insert(number: Int, fieldHash: UInt64, nameHash: UInt64) {
        let fieldSlot = Int(truncatingIfNeeded: fieldHash) & mask
        let nameSlot = Int(truncatingIfNeeded: nameHash) & mask
        links[number & mask] = Link(
            fieldHash: fieldHash, nameHash: nameHash,
            nextField: fieldHeads[fieldSlot], nextName: nameHeads[nameSlot])
        fieldHeads[fieldSlot] = number
        nameHeads[nameSlot] = number
    }

    /// The number of the youngest field of `table` with this name and value.
    @inline(__always)
    func number(
        of name: Span<UInt8>, _ value: Span<UInt8>, fieldHash: UInt64, in table: HPACK.Table
    ) -> Int? {
        var number = fieldHeads[Int(truncatingIfNeeded: fieldHash) & mask]
        while number >= table.oldest {
            let link = links[number & mask]
            if link.fieldHash == fieldHash {
                let field = table.field(number: number)
                let octets = table.octets.span
                if HPACK.equal(octets.extracting(field.name), name),
                    HPACK.equal(octets.extracting(field.value), value)
                {
                    return number
                }
            }
            number = link.nextField
        }
        return nil
    }

    /// The number of the youngest field of `table` with this name.
    func number(of name: Span<UInt8>, nameHash: UInt64, in table: HPACK.Table) -> Int? {
        var number = nameHeads[Int(truncatingIfNeeded: nameHash) & mask]
        while number >= table.oldest {
            let link = links[number & mask]
            if link.nameHash == nameHash {
                let field = table.field(number: number)
                if HPACK.equal(table.octets.span.extracting(field.name), name) { return number }
            }
            number = link.nextName
        }
        return nil
    }
}
