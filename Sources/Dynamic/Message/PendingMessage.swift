import SwiftletMessages
import Synchronization

/// Bytes that were received, which messages in them share.
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

/// A message inside another one that was decoded. Its bytes have been checked; its fields are read when one
/// of them is used.
///
/// So a message that contains hundreds of small messages is decoded without an allocation for each of their fields,
/// lists and texts.
///
/// Invariant: `fields` is 0, or the address of a storage that this object retains. It is set once and does not change.
@safe
final class PendingMessage: Sendable {
    let source: MessageBytes
    /// The index of the message type in the pool.
    let type: Int
    /// Where the fields are in the bytes.
    private let range: Range<Int>
    /// The address of a storage, 0 for none. `AtomicLazyReference` is not specialized by the compiler.
    private let fields = Atomic<UInt>(0)

    /// `range` must hold a message of the type that a decoder has checked.
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
    private static func storage(at address: UInt) -> Unmanaged<DynamicStorage> {
        let pointer = unsafe UnsafeRawPointer(bitPattern: address).unsafelyUnwrapped
        return unsafe Unmanaged.fromOpaque(pointer)
    }

    /// The fields. The first of several threads that ask for them determines them for all.
    @inline(__always)
    var contents: DynamicContents {
        let known = fields.load(ordering: .acquiring)
        if known == 0 { return read() }
        return unsafe DynamicContents(Self.storage(at: known).takeUnretainedValue())
    }

    /// Calls `body` with the fields, which this object keeps.
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
        // Another thread was faster.
        unsafe new.release()
        return unsafe DynamicContents(Self.storage(at: known).takeUnretainedValue())
    }
}
