extension HPACK {
    /// Finds fields of the static table by name. Equal names are adjacent there, so the first index
    /// and a count identify them.
    struct StaticIndex: Sendable {
        static let shared = StaticIndex()

        /// The first index of a name, at the hash of the name or in one of the next places.
        private var slots = [UInt8](repeating: 0, count: 256)
        /// For each index: how many fields from there on have the same name.
        private var runs = [UInt8](repeating: 0, count: StaticTable.count + 1)
        private let bytes = StaticTable.list.bytes
        private let fields = StaticTable.list.fields

        private init() {
            var runs = self.runs
            for index in (1...StaticTable.count).reversed() {
                let isRun =
                    index < StaticTable.count
                    && bytes[fields[index].name] == bytes[fields[index + 1].name]
                runs[index] = isRun ? runs[index + 1] + 1 : 1
            }
            var slots = self.slots
            var index = 1
            while index <= StaticTable.count {
                let name = bytes.contiguous.span.extracting(fields[index].name)
                var slot = Int(truncatingIfNeeded: name.fastHash(seed: 0)) & 0xff
                while slots[slot] != 0 { slot = (slot + 1) & 0xff }
                slots[slot] = UInt8(index)
                index += Int(runs[index])
            }
            self.runs = runs
            self.slots = slots
        }
    }
}

extension HPACK.StaticIndex {
    /// The indexes of fields with this name. Empty when there are none.
    @inline(__always)
    func indexes(of name: Span<UInt8>, nameHash: UInt64) -> Range<Int> {
        var slot = Int(truncatingIfNeeded: nameHash) & 0xff
        while slots[slot] != 0 {
            let index = Int(slots[slot])
            if bytes.contiguous.span.extracting(fields[index].name).equals(name) {
                return index..<index + Int(runs[index])
            }
            slot = (slot + 1) & 0xff
        }
        return 0..<0
    }

    @inline(__always)
    func hasValue(_ value: Span<UInt8>, at index: Int) -> Bool {
        bytes.contiguous.span.extracting(fields[index].value).equals(value)
    }

    /// `authorization`, `cookie`, `proxy-authorization` and `set-cookie` are secret even if the
    /// field is not marked as secret (RFC 7541 §7.1.3).
    @inline(__always)
    func isSecret(_ index: Int) -> Bool {
        switch index {
        case 23, 32, 49, 55: true
        default: false
        }
    }
}
