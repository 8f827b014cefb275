/// Large bytes fields that an encoder leaves where they lie, for a sender that can gather octets
/// from several places.
///
/// Each keeps its array alive, and shares it with the message as long as nobody changes either. What
/// is sent is put together again by `parts(between:)`.
@frozen
public struct OctetsApart: Sendable {
    @usableFromInline
    struct Piece: Sendable {
        @usableFromInline let octets: [UInt8]
        /// How much of the rest of the message lies behind it.
        @usableFromInline let restByteCount: Int

        @usableFromInline
        init(_ octets: [UInt8], restByteCount: Int) {
            self.octets = octets
            self.restByteCount = restByteCount
        }
    }

    /// Fields from this size on are left out.
    @usableFromInline let minByteCount: Int
    @usableFromInline var pieces: [Piece] = []

    /// - Parameter minByteCount: Fields from this size on are left out.
    @inlinable
    package init(minByteCount: Int) { self.minByteCount = minByteCount }

    /// Leaves nothing out.
    @inlinable static var none: OctetsApart { OctetsApart(minByteCount: .max) }

    @inlinable package var isEmpty: Bool { pieces.isEmpty }

    /// How much was left out.
    package var byteCount: Int { pieces.reduce(0) { $0 + $1.octets.count } }

    /// - Parameter restByteCount: How much of what is not left out is yet to be written.
    @usableFromInline
    @inline(never)
    mutating func leave(_ octets: [UInt8], restByteCount: Int) {
        pieces.append(Piece(octets, restByteCount: restByteCount))
    }

    /// Puts what was left out between what was written.
    ///
    /// - Parameter octets: The rest of the message, and whatever stands before it.
    package func parts(between octets: [UInt8]) -> [[UInt8]] {
        guard let first = pieces.first else { return [octets] }
        var parts: [[UInt8]] = []
        parts.reserveCapacity(2 * pieces.count + 1)
        var start = octets.count - first.restByteCount
        parts.append([UInt8](octets[..<start]))
        for (index, piece) in pieces.enumerated() {
            parts.append(piece.octets)
            let next = index + 1 < pieces.count ? pieces[index + 1].restByteCount : 0
            let end = octets.count - next
            if end > start { parts.append([UInt8](octets[start..<end])) }
            start = end
        }
        return parts
    }
}
