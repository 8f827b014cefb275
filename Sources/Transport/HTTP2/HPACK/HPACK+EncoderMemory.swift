extension HPACK {
    /// Remembers the hashes of recent fields, and overwrites older ones.
    ///
    /// The low bits of a hash choose one of 32 rows of eight hashes. Without rows, two fields of
    /// every request could have the same place, and would overwrite each other each time.
    struct Sightings {
        // Empty until the first hash: most connections send prepared fields, and fields that are not indexed.
        private var tags: [UInt32] = []
        private var turns: [UInt8] = []

        /// Remembers `hash`. Returns true if it was remembered before.
        mutating func remember(_ hash: UInt64) -> Bool {
            if tags.isEmpty {
                tags = Array(repeating: 0, count: 32 * 8)
                turns = Array(repeating: 0, count: 32)
            }
            let row = Int(truncatingIfNeeded: hash) & 31
            let tag = UInt32(truncatingIfNeeded: hash >> 32) | 1
            for place in row * 8..<row * 8 + 8 where tags[place] == tag { return true }
            tags[row * 8 + Int(turns[row])] = tag
            turns[row] = (turns[row] + 1) & 7
            return false
        }
    }

    /// The bytes to which prepared headers were last encoded. They are valid until a field enters
    /// or leaves the table, which changes every index.
    struct PreparedBlocks {
        private struct Block {
            /// Retained, so that no other object gets the same identity.
            var headers: PreparedHeaders
            var generation = 0
            var bytes: [UInt8] = []
        }

        private static let capacity = 16

        private var blocks: [Block] = []
        private var generation = 0
        /// The block that is overwritten next, once there are as many as fit.
        private var next = 0
    }
}

extension HPACK.PreparedBlocks {
    mutating func tableChanged() { generation += 1 }

    /// Appends the bytes of `headers` if they are known and valid. Otherwise returns false.
    @inline(__always)
    func append(_ headers: PreparedHeaders, to output: inout [UInt8]) -> Bool {
        for index in blocks.indices where blocks[index].headers === headers {
            guard blocks[index].generation == generation else { return false }
            output.append(contentsOf: blocks[index].bytes)
            return true
        }
        return false
    }

    /// Remembers the bytes of `headers`, and overwrites older ones.
    mutating func remember(_ headers: PreparedHeaders, as bytes: Span<UInt8>) {
        let index = place(for: headers)
        blocks[index].headers = headers
        blocks[index].generation = generation
        blocks[index].bytes.removeAll(keepingCapacity: true)
        blocks[index].bytes.append(copying: bytes)
    }

    private mutating func place(for headers: PreparedHeaders) -> Int {
        if let index = blocks.firstIndex(where: { $0.headers === headers }) { return index }
        guard blocks.count == Self.capacity else {
            blocks.append(Block(headers: headers))
            return blocks.count - 1
        }
        defer { next = (next + 1) % Self.capacity }
        return next
    }
}
