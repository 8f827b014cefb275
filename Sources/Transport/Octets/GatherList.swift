/// Octets on their way out, in order, that need not lie side by side.
///
/// Small pieces (frame headers, header blocks, short messages) are copied into one shared buffer,
/// where neighbours become one piece. Large ones stay where they are: the list holds on to their
/// array. One gather write sends both, so a payload is never copied to stand behind its header.
///
/// The memory is used again once everything was removed: in a steady state nothing is allocated.
package struct GatherList: Sendable {
    /// Below this many octets a copy costs less than an entry of its own in a gather write.
    package static let copyThreshold = 1_024

    struct Piece: Sendable {
        /// The array that `range` is about; nil for the shared buffer.
        var array: [UInt8]?
        var range: Range<Int>
    }

    /// The small octets of all pieces, one behind the other. What is appended to it is appended to
    /// the list: frame headers are written, and filled in, where they will be sent from.
    package private(set) var shared: [UInt8] = []
    private(set) var pieces: [Piece] = []
    /// The pieces before this one are gone; they are dropped for good in batches.
    private(set) var first = 0

    /// How many octets are waiting.
    package private(set) var count = 0

    package init() {}
}

extension GatherList {
    package var isEmpty: Bool { count == 0 }
    package var pieceCount: Int { pieces.count - first }
}

// MARK: - Appending

extension GatherList {
    package mutating func append(copying octets: Span<UInt8>) {
        appendShared { $0.append(copying: octets) }
    }

    package mutating func append(copying octets: [UInt8]) {
        appendShared { $0.append(contentsOf: octets) }
    }

    /// The shared buffer, to append to in place. It may be cut back to where the access began,
    /// and to any place behind that.
    package var tail: [UInt8] {
        get { shared }
        _modify {
            let start = shared.count
            yield &shared
            noteAppended(from: start)
        }
    }

    mutating func appendShared(_ body: (inout [UInt8]) -> Void) {
        let start = shared.count
        body(&shared)
        noteAppended(from: start)
    }

    private mutating func noteAppended(from start: Int) {
        let end = shared.count
        guard end != start else { return }
        count += end - start
        if let last = pieces.indices.last, last >= first, pieces[last].array == nil {
            precondition(end >= pieces[last].range.lowerBound, "cut into what was sealed")
            pieces[last].range = pieces[last].range.lowerBound..<end
        } else {
            precondition(end >= start, "cut into what was sealed")
            pieces.append(Piece(array: nil, range: start..<end))
        }
    }

    /// Appends `range` of `octets` without copying it, unless it is short.
    package mutating func append(referencing octets: [UInt8], _ range: Range<Int>) {
        precondition(octets.indices.contains(range) || range.isEmpty)
        guard range.count >= Self.copyThreshold else {
            return append(copying: octets.span.extracting(range))
        }
        count += range.count
        pieces.append(Piece(array: octets, range: range))
    }

    package mutating func append(referencing octets: [UInt8]) {
        append(referencing: octets, octets.indices)
    }

    /// Moves everything out of `other`, behind what is here.
    package mutating func append(moving other: inout GatherList) {
        if isEmpty {
            swap(&self, &other)
            return
        }
        for piece in other.pieces[other.first...] {
            if let array = piece.array {
                append(referencing: array, piece.range)
            } else {
                let octets = other.shared
                appendShared { $0.append(contentsOf: octets[piece.range]) }
            }
        }
        other.removeAll()
    }
}

// MARK: - Removing

extension GatherList {
    /// Forgets the first `removed` octets, which were sent.
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
            // Lets go of a sent payload at once; the entry itself goes with the next batch.
            pieces[first].array = nil
            first += 1
        }
        dropRemoved()
    }

    package mutating func removeAll() {
        pieces.removeAll(keepingCapacity: true)
        // A burst must not cost an idle connection its memory for ever.
        shared.removeAll(keepingCapacity: shared.capacity <= 65_536)
        first = 0
        count = 0
    }

    /// A list that is never empty must not grow for ever: what was removed is dropped when it is
    /// more than what is left, so each octet is moved at most once on average.
    private mutating func dropRemoved() {
        if first > 64, first > pieces.count / 2 { dropPieces() }
        // All that is small may be one piece, which gets longer behind as it gets shorter in front.
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
    /// Moves the first octets, `limit` at most, behind those in `octets`.
    package mutating func moveFirst(_ limit: Int, to octets: inout [UInt8]) {
        var left = min(limit, count)
        while left > 0 {
            let moved = withFirstPiece { piece in
                let part = min(piece.count, left)
                octets.append(copying: piece.extracting(0..<part))
                return part
            }
            guard let moved else { return }
            removeFirst(moved)
            left -= moved
        }
    }
}

// MARK: - Looking at

extension GatherList {
    /// Lends the first piece; nil when there is none.
    package func withFirstPiece<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard first < pieces.count else { return nil }
        let piece = pieces[first]
        if let array = piece.array { return try body(array.span.extracting(piece.range)) }
        return try body(shared.span.extracting(piece.range))
    }

    /// Everything that waits, copied together: for tests and for diagnosis.
    package var octets: [UInt8] {
        pieces[first...].flatMap { piece in (piece.array ?? shared)[piece.range] }
    }
}
