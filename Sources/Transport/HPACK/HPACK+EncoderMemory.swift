extension HPACK {
    /// Remembers what an encoder has seen lately, as hashes; forgets by overwriting.
    ///
    /// The low bits of a hash choose one of 32 rows, in which eight hashes take turns. With a
    /// single place a hash, two fields of each request that want the same place would make each
    /// other forgotten for ever.
    struct Sightings {
        private var rows = [SIMD8<UInt32>](repeating: .zero, count: 32)
        private var turns = [UInt8](repeating: 0, count: 32)

        /// Whether `hash` was remembered before.
        mutating func remember(_ hash: UInt64) -> Bool {
            let row = Int(truncatingIfNeeded: hash) & 31
            let tag = UInt32(truncatingIfNeeded: hash >> 32) | 1
            if any(rows[row] .== tag) { return true }
            rows[row][Int(turns[row])] = tag
            turns[row] = (turns[row] + 1) & 7
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
