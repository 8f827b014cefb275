import SwiftletMessages
import Synchronization

/// Received bytes that pending messages share.
final class MessageBytes: Sendable {
    let pool: SchemaPool
    let bytes: [UInt8]
    let keepsUnknownFields: Bool

    init(pool: SchemaPool, bytes: [UInt8], keepsUnknownFields: Bool) {
        self.pool = pool
        self.bytes = bytes
        self.keepsUnknownFields = keepsUnknownFields
    }
}

/// A decoded message inside another message. Its bytes have been checked. Its fields are read at their first
/// use.
///
/// So decoding a message that contains hundreds of small messages makes no allocation for each of their
/// fields, lists and texts.
///
/// Invariant: `fields` is 0, or the address of a storage that this object retains. It is set once and does not change.
@safe
final class PendingMessage: Sendable {
    let source: MessageBytes
    /// The index of the message type in the pool.
    let type: Int
    /// The range of the fields in the bytes.
    private let range: Range<Int>
    /// The address of a storage, 0 for none. `AtomicLazyReference` is not specialized by the compiler.
    private let fields = Atomic<UInt>(0)

    /// `range` must contain a message of the type, which a decoder has checked.
    init(_ source: MessageBytes, type: Int, range: Range<Int>) {
        self.source = source
        self.type = type
        self.range = range
    }

    deinit {
        let known = fields.load(ordering: .acquiring)
        if known != 0 { unsafe Self.storage(at: known).release() }
    }

    /// Safe if the address is one that `fields` had: by the invariant, the storage is alive.
    @inline(__always)
    private static func storage(at address: UInt) -> Unmanaged<DynamicContents.Storage> {
        let pointer = unsafe UnsafeRawPointer(bitPattern: address).unsafelyUnwrapped
        return unsafe Unmanaged.fromOpaque(pointer)
    }

    /// The fields. If several threads read them first, all get the fields of one thread.
    @inline(__always)
    var contents: DynamicContents {
        let known = fields.load(ordering: .acquiring)
        if known == 0 { return read() }
        return unsafe DynamicContents(Self.storage(at: known).takeUnretainedValue())
    }

    /// Calls `body` with the fields, which this object keeps alive.
    @inline(__always)
    func withContents<Result>(_ body: (DynamicContents) -> Result) -> Result {
        let known = fields.load(ordering: .acquiring)
        if known == 0 { return body(read()) }
        defer { withExtendedLifetime(self) {} }
        return unsafe Self.storage(at: known)._withUnsafeGuaranteedRef {
            body(DynamicContents($0))
        }
    }

    @inline(never)
    private func read() -> DynamicContents {
        let contents = DynamicDecoder.contents(of: self, range)
        let new = unsafe Unmanaged.passRetained(contents.storage)
        let (exchanged, known) = unsafe fields.compareExchange(
            expected: 0, desired: UInt(bitPattern: new.toOpaque()),
            ordering: .acquiringAndReleasing)
        if exchanged { return contents }
        // Another thread has stored its fields first.
        unsafe new.release()
        return unsafe DynamicContents(Self.storage(at: known).takeUnretainedValue())
    }
}
