/// Large bytes fields that an encoder does not copy. For a sender that can send bytes from several arrays
/// with one call.
///
/// Each piece keeps its array alive. The array is shared with the message until either is changed.
/// `parts(between:)` joins them with the rest of the message.
public struct SeparateBytes: Sendable {
    struct Piece: Sendable {
        let bytes: [UInt8]
        /// The number of copied bytes before the field, including the prefix.
        var position: Int

        init(_ bytes: [UInt8], position: Int) {
            self.bytes = bytes
            self.position = position
        }
    }

    /// Fields of this size and larger are not copied.
    let minByteCount: Int
    /// Nil, not empty, if there are none: nil needs no release.
    var pieces: [Piece]?
    /// The size of the prefix and of everything that is copied.
    var copiedByteCount = 0

    /// - Parameter minByteCount: Fields of this size and larger are not copied.
    @usableFromInline package init(minByteCount: Int) { self.minByteCount = minByteCount }

    @usableFromInline package var isEmpty: Bool { pieces == nil }

    /// The size of all fields that were not copied.
    package var byteCount: Int { (pieces ?? []).reduce(0) { $0 + $1.bytes.count } }

    @inline(never)
    mutating func append(_ bytes: [UInt8], at position: Int) {
        var all = pieces.take() ?? []
        all.append(Piece(bytes, position: position))
        pieces = all
    }

    /// Adds `byteCount` to the positions from `first` on.
    mutating func move(from first: Int, by byteCount: Int) {
        guard var all = pieces.take() else { return }
        for index in all.indices.reversed() {
            guard all[index].position >= first else { break }
            all[index].position += byteCount
        }
        pieces = all
    }

    mutating func removeAll() { pieces = nil }

    /// The message as arrays in the order of the wire: the copied bytes, with the separate fields between
    /// them.
    ///
    /// - Parameter bytes: The copied bytes of the message. Other bytes may precede the message.
    package func parts(between bytes: [UInt8]) -> [[UInt8]] {
        guard let pieces, let first = pieces.first else { return [bytes] }
        var parts: [[UInt8]] = []
        parts.reserveCapacity(2 * pieces.count + 1)
        let precedingByteCount = bytes.count - copiedByteCount
        var start = precedingByteCount + first.position
        parts.append([UInt8](bytes[..<start]))
        for (index, piece) in pieces.enumerated() {
            parts.append(piece.bytes)
            let isLast = index + 1 == pieces.count
            let end = isLast ? bytes.count : precedingByteCount + pieces[index + 1].position
            if end > start { parts.append([UInt8](bytes[start..<end])) }
            start = end
        }
        return parts
    }
}
