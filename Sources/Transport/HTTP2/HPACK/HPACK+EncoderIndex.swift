extension HPACK {
    /// Finds the fields of the encoder's dynamic table by the hash of a name, or of name and value.
    ///
    /// It has two hash tables with chains. A chain leads from younger to older fields, and ends at
    /// the oldest field of the dynamic table. So a field that is evicted from the table need not be
    /// removed from its chain.
    struct EncoderIndex {
        private struct Link {
            // The upper half of each hash, which also selects the chain. It need not be unique, because every match
            // is compared byte by byte.
            var fieldTag: UInt32 = 0
            var nameTag: UInt32 = 0
            /// The distance to the next older field. Zero ends the chain.
            var toNextField: UInt32 = 0
            var toNextName: UInt32 = 0
        }

        /// The links of field `number` are at `number & mask`, as in the table.
        private var links: [Link]
        /// The youngest field with a tag, at `tag & mask`; or −1.
        private var fieldHeads: [Int]
        private var nameHeads: [Int]
        private let mask: Int

        init() { self.init(capacity: HPACK.Table.firstCapacity) }

        private init(capacity: Int) {
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

    @inline(__always)
    private func slot(of tag: UInt32) -> Int { Int(truncatingIfNeeded: tag) & mask }

    /// Adds the field that `table` has inserted last.
    mutating func insert(fieldHash: UInt64, nameHash: UInt64, of table: HPACK.Table) {
        let number = table.insertedCount - 1
        if links.count < table.capacity { grow(to: table.capacity, table.oldest..<number) }
        insert(number, Self.tag(fieldHash), Self.tag(nameHash))
    }

    private mutating func grow(to capacity: Int, _ numbers: Range<Int>) {
        let old = self
        self = Self(capacity: capacity)
        for number in numbers {
            let link = old.links[number & old.mask]
            insert(number, link.fieldTag, link.nameTag)
        }
    }

    private mutating func insert(_ number: Int, _ fieldTag: UInt32, _ nameTag: UInt32) {
        let fieldSlot = slot(of: fieldTag)
        let nameSlot = slot(of: nameTag)
        links[number & mask] = Link(
            fieldTag: fieldTag, nameTag: nameTag,
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
        let tag = Self.tag(fieldHash)
        var number = fieldHeads[slot(of: tag)]
        while number >= table.oldest {
            let link = links[number & mask]
            if link.fieldTag == tag {
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
        let tag = Self.tag(nameHash)
        var number = nameHeads[slot(of: tag)]
        while number >= table.oldest {
            let link = links[number & mask]
            if link.nameTag == tag {
                let field = table.field(number: number)
                if table.bytes.contiguous.span.extracting(field.name).equals(name) { return number }
            }
            guard link.toNextName > 0 else { return nil }
            number -= Int(link.toNextName)
        }
        return nil
    }
}
