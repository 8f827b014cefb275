/// Bytes to send, in order, in several pieces of memory.
///
/// Small pieces (frame headers, header blocks, short messages) are copied into one shared buffer,
/// where adjacent ones become one piece. Large pieces are not copied: the list references their
/// array. One gather write sends both.
///
/// When everything was removed, the memory is used again, so a steady state allocates nothing.
package struct GatherList: Sendable {
    /// Copying fewer bytes than this costs less than an additional entry in a gather write.
    static let copyThreshold = 1_024

    struct Piece: Sendable {
        /// The array of `range`. Nil for the shared buffer.
        var array: [UInt8]?
        var range: Range<Int>
    }

    /// The bytes of all small pieces. ``tail`` appends to it in place, so frame headers are written
    /// and completed without a copy.
    private(set) var shared: [UInt8] = []
    private(set) var pieces: [Piece] = []
    /// The pieces before this index were removed. They are deleted in batches.
    private(set) var first = 0

    /// How many bytes the list contains.
    package private(set) var count = 0

    package init() {}
}

extension GatherList {
    package var isEmpty: Bool { count == 0 }
    var pieceCount: Int { pieces.count - first }
}

// MARK: - Appending

extension GatherList {
    mutating func append(copying bytes: Span<UInt8>) {
        tail.append(copying: bytes)
    }

    package mutating func append(copying bytes: [UInt8]) {
        tail.append(contentsOf: bytes)
    }

    /// The shared buffer, for appending in place. An access may remove bytes that it has appended,
    /// but no earlier ones.
    var tail: [UInt8] {
        get { shared }
        _modify {
            let start = shared.count
            yield &shared
            noteAppended(from: start)
        }
    }

    private mutating func noteAppended(from start: Int) {
        let end = shared.count
        guard end != start else { return }
        count += end - start
        if let last = pieces.indices.last, last >= first, pieces[last].array == nil {
            precondition(
                end >= pieces[last].range.lowerBound, "an access to tail removed earlier bytes")
            pieces[last].range = pieces[last].range.lowerBound..<end
        } else {
            precondition(end >= start, "an access to tail removed earlier bytes")
            pieces.append(Piece(array: nil, range: start..<end))
        }
    }

    /// Appends `range` of `bytes`. References long ranges and copies short ones.
    mutating func append(referencing bytes: [UInt8], _ range: Range<Int>) {
        precondition(bytes.indices.contains(range) || range.isEmpty)
        guard range.count >= Self.copyThreshold else {
            return append(copying: bytes.contiguous.span.extracting(range))
        }
        count += range.count
        pieces.append(Piece(array: bytes, range: range))
    }

    package mutating func append(referencing bytes: [UInt8]) {
        append(referencing: bytes, bytes.indices)
    }

    /// Moves everything from `other` to the end of this list.
    package mutating func append(moving other: inout GatherList) {
        if isEmpty {
            swap(&self, &other)
            return
        }
        for piece in other.pieces[other.first...] {
            if let array = piece.array {
                append(referencing: array, piece.range)
            } else {
                tail.append(contentsOf: other.shared[piece.range])
            }
        }
        other.removeAll()
    }
}

// MARK: - Removing

extension GatherList {
    /// Removes the first `removed` bytes, which were sent.
    package mutating func removeFirst(_ removed: Int) {
        precondition((0...count).contains(removed))
        guard removed < count else { return removeAll() }
        count -= removed
        var left = removed
        while left > 0 {
            let range = pieces[first].range
            guard left >= range.count else {
                pieces[first].range = range.lowerBound + left..<range.upperBound
                break
            }
            left -= range.count
            // Releases a sent payload at once. Its entry is deleted with the next batch.
            pieces[first].array = nil
            first += 1
        }
        dropRemoved()
    }

    package mutating func removeAll() {
        pieces.removeAll(keepingCapacity: true)
        // The memory that a burst needed is freed, so that an idle connection does not keep it.
        shared.removeAll(keepingCapacity: shared.capacity <= 65_536)
        first = 0
        count = 0
    }

    /// Limits the memory of a list that is never empty. Removed bytes are deleted when they are
    /// more than the remaining bytes, so each byte is moved at most once on average.
    private mutating func dropRemoved() {
        if first > 64, first > pieces.count / 2 { dropPieces() }
        // The shared bytes may be one piece that is never empty: appends move its end, and removals
        // move its start. So the bytes of `shared` before the first such piece are deleted here.
        let living = pieces[first...].first { $0.array == nil }
        let start = living?.range.lowerBound ?? shared.count
        guard start > 4_096, start > shared.count / 2 else { return }
        dropPieces()
        shared.removeFirst(start)
        for index in pieces.indices where pieces[index].array == nil {
            let range = pieces[index].range
            pieces[index].range = range.lowerBound - start..<range.upperBound - start
        }
    }

    private mutating func dropPieces() {
        pieces.removeFirst(first)
        first = 0
    }
}

extension GatherList {
    /// Moves the first bytes, at most `limit`, to the end of `bytes`.
    package mutating func moveFirst(_ limit: Int, to bytes: inout [UInt8]) {
        var left = min(limit, count)
        while left > 0 {
            let moved = withFirstPiece { piece in
                let part = min(piece.count, left)
                bytes.append(copying: piece.extracting(0..<part))
                return part
            }
            guard let moved else { return }
            removeFirst(moved)
            left -= moved
        }
    }
}

// MARK: - Reading

extension GatherList {
    /// Calls `body` with the first piece. Returns nil if the list is empty.
    package func withFirstPiece<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard first < pieces.count else { return nil }
        let piece = pieces[first]
        if let array = piece.array {
            return try body(array.contiguous.span.extracting(piece.range))
        }
        return try body(shared.contiguous.span.extracting(piece.range))
    }

    /// A copy of all bytes, for tests and diagnosis.
    var bytes: [UInt8] {
        pieces[first...].flatMap { piece in (piece.array ?? shared)[piece.range] }
    }
}
