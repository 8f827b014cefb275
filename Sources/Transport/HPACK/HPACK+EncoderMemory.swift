extension HPACK {
    /// Remembers what an encoder has seen lately, as hashes; forgets by overwriting.
    struct Sightings {
        private var tags = [UInt32](repeating: 0, count: 64)

        /// Whether `hash` was remembered before.
        mutating func remember(_ hash: UInt64) -> Bool {
            let slot = Int(truncatingIfNeeded: hash) & 63
            let tag = UInt32(truncatingIfNeeded: hash >> 32) | 1
            if tags[slot] == tag { return true }
            tags[slot] = tag
            return false
        }
    }

    /// The octets that prepared headers were last encoded to. They stay good until a field
    /// enters or leaves the table, which changes every index.
    struct PreparedBlocks {
        private struct Block {
            /// Held, so that no other object can get the same identity.
            var headers: PreparedHeaders?
            var generation = 0
            var octets: [UInt8] = []
        }

        private var blocks = [Block](repeating: Block(), count: 16)
        private var generation = 0
        private var next = 0
    }
}

extension HPACK.PreparedBlocks {
    mutating func tableChanged() { generation += 1 }

    /// Appends the octets for `headers` when they are known and still good.
    @inline(__always)
    func append(_ headers: PreparedHeaders, to output: inout [UInt8]) -> Bool {
        for index in blocks.indices where blocks[index].headers === headers {
            guard blocks[index].generation == generation else { return false }
            output.append(contentsOf: blocks[index].octets)
            return true
        }
        return false
    }

    /// Remembers the octets for `headers`, in place of older ones or of another's.
    mutating func remember(_ headers: PreparedHeaders, as octets: Span<UInt8>) {
        var index = blocks.firstIndex { $0.headers === headers }
        if index == nil {
            index = next
            next = (next + 1) % blocks.count
        }
        guard let index else { return }
        blocks[index].headers = headers
        blocks[index].generation = generation
        blocks[index].octets.removeAll(keepingCapacity: true)
        blocks[index].octets.append(copying: octets)
    }
}
