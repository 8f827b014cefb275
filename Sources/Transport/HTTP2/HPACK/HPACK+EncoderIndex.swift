extension HPACK {
    /// Finds the fields of the encoder's dynamic table by the hash of a name, or of name and value.
    ///
    /// It has two hash tables with chains. A chain leads from younger to older fields, and ends at
    /// the oldest field of the dynamic table. So a field that is evicted from the table need not be
    /// removed from its chain.
    struct EncoderIndex {
        private struct Link {
            // The upper half of each hash. It need not be unique, because every match is compared
            // byte by byte.
            var fieldTag: UInt32 = 0
            var nameTag: UInt32 = 0
            /// The distance to the next older field. Zero ends the chain.
            var toNextField: UInt32 = 0
            var toNextName: UInt32 = 0
        }

        /// The links of field `number` are at `number & mask`, as in the table.
        private var links: [Link]
        /// The youngest field with a hash, at `hash & mask`; or −1.
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
    @inline(__always)
    private static func tag(_ hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash >> 32) }

    /// Zero if the distance does not fit 32 bits: such an old field was evicted from the table.
    private static func distance(_ number: Int, _ head: Int) -> UInt32 {
        head < 0 ? 0 : UInt32(exactly: number - head) ?? 0
    }

    /// Adds the field that `table` has inserted last.
    mutating func insert(number: Int, fieldHash: UInt64, nameHash: UInt64) {
        let fieldSlot = Int(truncatingIfNeeded: fieldHash) & mask
        let nameSlot = Int(truncatingIfNeeded: nameHash) & mask
        links[number & mask] = Link(
            fieldTag: Self.tag(fieldHash), nameTag: Self.tag(nameHash),
            toNextField: Self.distance(number, fieldHeads[fieldSlot]),
            toNextName: Self.distance(number, nameHeads[nameSlot]))
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
            if link.fieldTag == Self.tag(fieldHash) {
                let field = table.field(number: number)
                let contiguous = table.bytes.contiguous
                let bytes = contiguous.span
                if bytes.extracting(field.name).equals(name),
                    bytes.extracting(field.value).equals(value)
                {
                    return number
                }
            }
            guard link.toNextField > 0 else { return nil }
            number -= Int(link.toNextField)
        }
        return nil
    }

    /// The number of the youngest field of `table` with this name.
    func number(of name: Span<UInt8>, nameHash: UInt64, in table: HPACK.Table) -> Int? {
        var number = nameHeads[Int(truncatingIfNeeded: nameHash) & mask]
        while number >= table.oldest {
            let link = links[number & mask]
            if link.nameTag == Self.tag(nameHash) {
                let field = table.field(number: number)
                if table.bytes.contiguous.span.extracting(field.name).equals(name) { return number }
            }
            guard link.toNextName > 0 else { return nil }
            number -= Int(link.toNextName)
        }
        return nil
    }
}
