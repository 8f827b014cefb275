/// The bytes that have arrived and were not consumed yet, contiguous in memory.
///
/// The memory is set to zero once, when it is allocated. Later reads write over it, so a read costs
/// one system call and no copy. If little memory is free after the unread bytes (a part of a
/// frame), they are moved to the front, or the buffer doubles.
///
///     try buffer.read(from: socket)
///     let count = buffer.withUnread { bytes in engine.receive(bytes) }
///     buffer.consume(count)
@usableFromInline
package struct ReceiveBuffer: ~Copyable, Sendable {
    /// The memory. Only the range ``unread`` contains data.
    @usableFromInline
    package private(set) var bytes: [UInt8]

    /// The range of ``bytes`` that was received and not consumed.
    @usableFromInline
    package private(set) var unread: Range<Int> = 0..<0

    /// Whether the last read filled the free memory. If true, the socket may have more bytes. If
    /// false, the socket is empty until the poller reports it again.
    package private(set) var wasFilled = false

    /// The largest end of the unread bytes in this turn of reading.
    private var peakByteCount = 0
    /// How many turns in a row needed no more than the initial memory.
    private var smallTurnCount = 0
    private static let smallTurnLimit = 64

    /// The most bytes that are read from one connection in a turn of the loop. Then other
    /// connections have their turn. The bytes are processed while they are in the processor's
    /// cache.
    package static let turnByteCount = 256 << 10

    let initialByteCount: Int
    let maximumByteCount: Int

    /// - Parameter maximumByteCount: The size to which the buffer may grow. A buffer that is full
    ///   of unread bytes is not read into, so that TCP slows down the peer.
    package init(initialByteCount: Int = 16_384 + 64, maximumByteCount: Int = 262_144) {
        precondition(initialByteCount > 0 && maximumByteCount >= initialByteCount)
        self.initialByteCount = initialByteCount
        self.maximumByteCount = maximumByteCount
        bytes = []
    }
}

// MARK: - Filling

extension ReceiveBuffer {
    /// Whether bytes must be consumed before more can be added.
    package var isFull: Bool { unread.count >= maximumByteCount }

    /// Calls `body` with the free memory. `body` returns the number of bytes that it wrote at the
    /// beginning.
    ///
    /// The free memory is empty only if ``isFull``. A buffer that was filled completely doubles
    /// before it is filled again.
    mutating func fill<Failure: Error>(
        _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) -> Int {
        makeRoom()
        let room = unread.upperBound..<bytes.count
        // `withUnsafeMutableBytes` cannot pass on a typed error, so the closure returns a result.
        let result = unsafe bytes.withUnsafeMutableBytes { bytes -> Result<Int, Failure> in
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

    /// Copies `added` after the unread bytes. Returns the number of copied bytes.
    package mutating func append(copying added: Span<UInt8>) -> Int {
        var count = 0
        while count < added.count, !isFull {
            count += unsafe fill { room in
                let part = min(room.count, added.count - count)
                // Both sides have at least `part` bytes.
                unsafe added.extracting(count..<count + part).withUnsafeBytes { source in
                    unsafe room.copyMemory(from: source)
                }
                return part
            }
        }
        return count
    }

    /// Inserts bytes before the unread bytes, because they arrived earlier. The buffer may exceed
    /// its maximum until they are consumed.
    package mutating func prepend(_ added: [UInt8]) {
        let count = added.count + unread.count
        if bytes.count < max(count, initialByteCount) { resize(to: max(count, initialByteCount)) }
        let rest = unread
        // In bounds: `bytes` has at least `count` bytes, and `unread` lies within it. The ranges of the
        // first copy may overlap, which memmove allows.
        unsafe bytes.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            unsafe (base + added.count)
                .copyMemory(from: base + rest.lowerBound, byteCount: rest.count)
            unsafe added.withUnsafeBytes { unsafe bytes.copyMemory(from: $0) }
        }
        unread = 0..<count
        peakByteCount = max(peakByteCount, count)
        wasFilled = false
    }

    private mutating func makeRoom() {
        if bytes.isEmpty {
            bytes = [UInt8](repeating: 0, count: initialByteCount)
            return
        }
        let isScarce = bytes.count - unread.upperBound < bytes.count / 4
        if wasFilled || (isScarce && unread.lowerBound == 0), bytes.count < maximumByteCount {
            let byteCount = min(2 * bytes.count, maximumByteCount)
            resize(to: byteCount)
            wasFilled = false
        } else if isScarce {
            moveToFront()
        }
    }

    /// Moves the unread bytes to the front of new memory. The size is at least their number.
    private mutating func resize(to byteCount: Int) {
        // Cleared as a whole: in a debug build, a byte after the other would take a thousand times as long.
        var resized = [UInt8](repeating: 0, count: byteCount)
        unsafe resized.withUnsafeMutableBytes { resized in
            // In bounds: both sides have the unread bytes.
            unsafe bytes.withUnsafeBytes {
                unsafe resized.copyMemory(from: .init(rebasing: $0[unread]))
            }
        }
        bytes = resized
        unread = 0..<unread.count
    }

    private mutating func moveToFront() {
        guard unread.lowerBound > 0 else { return }
        let count = unread.count
        let start = unread.lowerBound
        // In bounds: `unread` lies within `bytes`. The ranges may overlap, which memmove allows.
        unsafe bytes.withUnsafeMutableBytes { bytes in
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

    /// Calls `body` with the unread bytes.
    @inlinable
    package func withUnread<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(bytes.contiguous.span.extracting(unread))
    }

    /// Removes the first `count` unread bytes.
    package mutating func consume(_ count: Int) {
        precondition((0...unread.count).contains(count))
        unread = unread.lowerBound + count..<unread.upperBound
        // An empty buffer starts at the beginning again, so that nothing has to be moved.
        if unread.isEmpty { unread = 0..<0 }
    }

    /// Ends a turn of reading. Memory that a burst needed is freed after many small turns.
    package mutating func endTurn() {
        defer { peakByteCount = 0 }
        guard bytes.count > initialByteCount, peakByteCount <= initialByteCount else {
            smallTurnCount = 0
            return
        }
        smallTurnCount += 1
        guard smallTurnCount > Self.smallTurnLimit else { return }
        smallTurnCount = 0
        shrink()
    }

    /// Removes and returns the memory of an empty buffer, so that idle connections have no memory.
    /// Returns an empty array if there are unread bytes.
    package mutating func takeMemory() -> [UInt8] {
        guard unread.isEmpty else { return [] }
        var memory: [UInt8] = []
        swap(&memory, &bytes)
        unread = 0..<0
        wasFilled = false
        return memory
    }

    /// Uses `memory` if the buffer has no memory and the size is allowed.
    package mutating func adopt(_ memory: consuming [UInt8]) {
        guard bytes.isEmpty, (initialByteCount...maximumByteCount).contains(memory.count)
        else { return }
        bytes = memory
    }

    /// Frees memory after a burst. Keeps the initial size.
    mutating func shrink() {
        guard bytes.count > initialByteCount, unread.count <= initialByteCount else { return }
        resize(to: initialByteCount)
        wasFilled = false
    }
}
