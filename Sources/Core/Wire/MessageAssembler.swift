import SwiftletTransport

/// A message as it came, without its prefix.
package struct AssembledMessage: Hashable, Sendable {
    package var octets: [UInt8]
    package var isCompressed: Bool

    /// How long it was on the wire.
    var wireByteCount: Int { MessagePrefix.byteCount + octets.count }
}

extension AssembledMessage {
    /// The octets as they were before they were compressed. Not to be asked for under a lock,
    /// because inflating takes its time.
    package consuming func decompressed(
        _ algorithm: CompressionAlgorithm, maxByteCount: Int?
    ) throws(RPCError) -> [UInt8] {
        guard isCompressed else { return octets }
        return try Decompressor.decompress(octets, algorithm, maxByteCount: maxByteCount)
    }
}

/// Puts messages together from DATA frames, which cut them anywhere.
///
/// A message's octets are copied once, into an array that is its final one. A length that only
/// claims to be large costs nothing: memory follows what arrives.
package struct MessageAssembler: Sendable {
    private var prefix: [UInt8] = []
    private var body: [UInt8] = []
    /// How many octets of the body have yet to come; nil while the prefix is read.
    private var missingByteCount: Int?
    /// Octets of the body that was lent.
    private var lentByteCount = 0
    private var isCompressed = false
    let maxByteCount: Int?

    /// A body up to this size gets its memory at once; a larger one as it comes.
    private static let reservedAtOnce = 64 << 10

    package init(maxByteCount: Int?) { self.maxByteCount = maxByteCount }
}

extension MessageAssembler {
    /// Whether the stream may not end here.
    package var isInsideMessage: Bool { missingByteCount != nil || !prefix.isEmpty }

    /// Octets of the message that has begun.
    package var pendingByteCount: Int { prefix.count + body.count + lentByteCount }

    /// Takes octets from `offset` on; returns the next message that is whole with them, or nil
    /// when all have been taken.
    package mutating func next(
        in octets: Span<UInt8>, at offset: inout Int
    ) throws(RPCError) -> AssembledMessage? {
        guard let missing = try readPrefix(in: octets, at: &offset) else { return nil }
        if body.isEmpty, missing <= octets.count - offset {
            // The common case: the message lies in one piece.
            missingByteCount = nil
            let whole = [UInt8](copying: octets.extracting(offset..<offset + missing))
            offset += missing
            return AssembledMessage(octets: whole, isCompressed: isCompressed)
        }
        let count = min(missing, octets.count - offset)
        if count > 0 {
            makeRoom(for: count, of: missing)
            body.append(copying: octets.extracting(offset..<offset + count))
            offset += count
        }
        guard count == missing else {
            missingByteCount = missing - count
            return nil
        }
        return takeWhole()
    }

    /// Lends the message that has begun, to be added to, and says how much of it is missing; nil
    /// when that is less than `least`.
    ///
    /// - Parameter arrived: So much is there to be added.
    package mutating func lend(
        missing least: Int, arrived: Int
    ) -> (octets: [UInt8], missing: Int)? {
        guard let missing = missingByteCount, missing >= max(1, least) else { return nil }
        if body.capacity - body.count < min(missing, arrived + Self.reservedAtOnce) {
            reserve(for: arrived, of: missing)
        }
        var lent: [UInt8] = []
        swap(&lent, &body)
        lentByteCount = lent.count
        return (lent, missing)
    }

    /// Takes back what was lent, with what has been added to it. Returns the message when it is
    /// whole.
    package mutating func takeBack(_ lent: inout [UInt8]) -> AssembledMessage? {
        let missing = (missingByteCount ?? 0) - (lent.count - lentByteCount)
        lentByteCount = 0
        swap(&body, &lent)
        guard missing <= 0 else {
            missingByteCount = missing
            return nil
        }
        return takeWhole()
    }

    private mutating func takeWhole() -> AssembledMessage {
        missingByteCount = nil
        var whole: [UInt8] = []
        swap(&whole, &body)
        return AssembledMessage(octets: whole, isCompressed: isCompressed)
    }

    /// What has arrived vouches for a multiple of itself: a large message is moved once on its way,
    /// and a length that only claims to be large still costs little.
    private mutating func makeRoom(for count: Int, of missing: Int) {
        if body.capacity < body.count + count { reserve(for: count, of: missing) }
    }

    private mutating func reserve(for count: Int, of missing: Int) {
        let room = max(Self.reservedAtOnce, (body.count + count) * 16)
        body.reserveCapacity(min(body.count + missing, room))
    }

    /// How many octets of the body are missing; nil when the prefix is not whole yet.
    private mutating func readPrefix(
        in octets: Span<UInt8>, at offset: inout Int
    ) throws(RPCError) -> Int? {
        if let missingByteCount { return missingByteCount }
        let flag: UInt8
        let length: UInt32
        if prefix.isEmpty, octets.count - offset >= MessagePrefix.byteCount {
            // The common case: the prefix lies in one piece.
            flag = octets[offset]
            length = octets.uint32(at: offset + 1)
            offset += MessagePrefix.byteCount
        } else {
            while prefix.count < MessagePrefix.byteCount, offset < octets.count {
                prefix.append(octets[offset])
                offset += 1
            }
            guard prefix.count == MessagePrefix.byteCount else { return nil }
            flag = prefix[0]
            length = prefix.span.uint32(at: 1)
            prefix.removeAll(keepingCapacity: true)
        }
        guard flag <= 1 else {
            throw RPCError(.internal, "a message begins with \(flag), which is no compressed flag")
        }
        if let maxByteCount, Int(length) > maxByteCount {
            throw RPCError(
                .resourceExhausted,
                "the server sent a message of \(length) octets, above the limit of \(maxByteCount)")
        }
        isCompressed = flag == 1
        missingByteCount = Int(length)
        return Int(length)
    }
}
