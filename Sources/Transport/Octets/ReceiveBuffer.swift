/// The octets that arrived and were not consumed yet, contiguous in memory.
///
/// The memory is set to zero once, when it is got, and filled from then on without being touched
/// in between: a turn of the loop costs one system call and no copy. What is left unread (part of
/// a frame) is moved to the front only when the room behind it gets scarce.
///
///     try buffer.read(from: socket)
///     let count = buffer.withUnread { octets in engine.receive(octets) }
///     buffer.consume(count)
@usableFromInline
package struct ReceiveBuffer: ~Copyable, Sendable {
    /// The memory; only ``unread`` of it means anything.
    @usableFromInline
    package private(set) var octets: [UInt8]

    /// Where in ``octets`` the unread ones lie.
    @usableFromInline
    package private(set) var unread: Range<Int> = 0..<0

    /// The last filling left no room: there may be more where it came from. After a read that
    /// left some, the socket is empty, and need not be asked again before the poller says so.
    package private(set) var wasFilled = false

    /// The most that lay here in this turn of reading.
    private var peakByteCount = 0
    /// Turns in a row that the initial memory would have been enough for.
    private var smallTurnCount = 0
    private static let smallTurnLimit = 64

    /// How much of a connection is read in a turn of the loop before the others have theirs, and
    /// before what arrived is worked on: it is still in the processor's memory then.
    package static let turnByteCount = 256 << 10

    package let initialByteCount: Int
    package let maximumByteCount: Int

    /// - Parameter maximumByteCount: How far the buffer may grow. A buffer that is full of unread
    ///   octets takes no more, so the peer is slowed down by its own transport.
    package init(initialByteCount: Int = 16_384 + 64, maximumByteCount: Int = 262_144) {
        precondition(initialByteCount > 0 && maximumByteCount >= initialByteCount)
        self.initialByteCount = initialByteCount
        self.maximumByteCount = maximumByteCount
        octets = []
    }
}

// MARK: - Filling

extension ReceiveBuffer {
    /// True when nothing can be added before something is consumed.
    package var isFull: Bool { unread.count >= maximumByteCount }

    /// Offers the free room to `body`, which answers how many octets it put at its start.
    ///
    /// The room is never empty unless ``isFull``. A buffer that was filled to the last octet
    /// doubles before it is filled again.
    package mutating func fill<Failure: Error>(
        _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) -> Int {
        makeRoom()
        let room = unread.upperBound..<octets.count
        // Typed errors do not pass through withUnsafeMutableBytes; a result does.
        let result = unsafe octets.withUnsafeMutableBytes { bytes -> Result<Int, Failure> in
            let free = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[room])
            return Result { () throws(Failure) in unsafe try body(free) }
        }
        let count = try result.get()
        precondition((0...room.count).contains(count))
        unread = unread.lowerBound..<unread.upperBound + count
        peakByteCount = max(peakByteCount, unread.upperBound)
        wasFilled = count == room.count
        return count
    }

    /// Copies `added` behind the unread octets; answers how many of them fitted.
    package mutating func append(copying added: Span<UInt8>) -> Int {
        var count = 0
        while count < added.count, !isFull {
            count += unsafe fill { room in
                let part = min(room.count, added.count - count)
                // Both sides are `part` octets long at least.
                unsafe added.extracting(count..<count + part).withUnsafeBytes { source in
                    unsafe room.copyMemory(from: source)
                }
                return part
            }
        }
        return count
    }

    /// Puts octets in front of the unread ones: they arrived before those. The buffer may become
    /// larger than it may grow by itself, until they are consumed.
    package mutating func prepend(_ added: [UInt8]) {
        var joined = added
        joined.append(contentsOf: octets[unread])
        unread = 0..<joined.count
        let missing = initialByteCount - joined.count
        if missing > 0 { joined.append(contentsOf: repeatElement(0, count: missing)) }
        octets = joined
        wasFilled = false
    }

    private mutating func makeRoom() {
        if octets.isEmpty {
            octets = [UInt8](repeating: 0, count: initialByteCount)
            return
        }
        let isScarce = octets.count - unread.upperBound < octets.count / 4
        if wasFilled || (isScarce && unread.lowerBound == 0), octets.count < maximumByteCount {
            let byteCount = min(2 * octets.count, maximumByteCount)
            var grown = [UInt8]()
            grown.reserveCapacity(byteCount)
            grown.append(contentsOf: octets[unread])
            grown.append(contentsOf: repeatElement(0, count: byteCount - unread.count))
            octets = grown
            unread = 0..<unread.count
            wasFilled = false
        } else if isScarce {
            moveToFront()
        }
    }

    private mutating func moveToFront() {
        guard unread.lowerBound > 0 else { return }
        let count = unread.count
        let start = unread.lowerBound
        // In bounds: `unread` lies within `octets`. The two ranges may overlap; memmove allows it.
        unsafe octets.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            unsafe base.copyMemory(from: base + start, byteCount: count)
        }
        unread = 0..<count
    }
}

// MARK: - Emptying

extension ReceiveBuffer {
    package var count: Int { unread.count }
    package var isEmpty: Bool { unread.isEmpty }

    /// Lends the unread octets.
    @inlinable
    package func withUnread<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(octets.span.extracting(unread))
    }

    /// Forgets the first `count` unread octets.
    package mutating func consume(_ count: Int) {
        precondition((0...unread.count).contains(count))
        unread = unread.lowerBound + count..<unread.upperBound
        // An empty buffer starts again at the front: then nothing ever needs to be moved.
        if unread.isEmpty { unread = 0..<0 }
    }

    /// Ends a turn of reading. Memory that a burst needed stays for those that follow, and is given
    /// back when they have long been small.
    package mutating func endTurn() {
        defer { peakByteCount = 0 }
        guard octets.count > initialByteCount, peakByteCount <= initialByteCount else {
            smallTurnCount = 0
            return
        }
        smallTurnCount += 1
        guard smallTurnCount > Self.smallTurnLimit else { return }
        smallTurnCount = 0
        shrink()
    }

    /// Gives an empty buffer's memory away, so that connections that wait have none of their own.
    /// Empty when there is something unread.
    package mutating func takeMemory() -> [UInt8] {
        guard unread.isEmpty else { return [] }
        var memory: [UInt8] = []
        swap(&memory, &octets)
        unread = 0..<0
        wasFilled = false
        return memory
    }

    /// Fills `memory` from now on, which another buffer has given away.
    package mutating func adopt(_ memory: consuming [UInt8]) {
        guard octets.isEmpty, (initialByteCount...maximumByteCount).contains(memory.count)
        else { return }
        octets = memory
    }

    /// Gives memory back after a burst: an idle connection keeps the initial size, or none at
    /// all when nothing is unread and `initialByteCount` is not asked to stay.
    package mutating func shrink(keepingInitial: Bool = true) {
        if unread.isEmpty, !keepingInitial {
            octets = []
        } else if octets.count > initialByteCount, unread.count <= initialByteCount {
            var small = [UInt8]()
            small.reserveCapacity(initialByteCount)
            small.append(contentsOf: octets[unread])
            small.append(contentsOf: repeatElement(0, count: initialByteCount - unread.count))
            octets = small
        } else {
            return
        }
        unread = 0..<unread.count
        wasFilled = false
    }
}
