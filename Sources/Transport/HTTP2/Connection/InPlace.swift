import Synchronization

/// A stored property of this type makes the compiler pass the containing value by address.
///
/// The compiler passes a large noncopyable value to another module's borrowing method by moving its bytes. A value that
/// contains an atomic has a fixed address and is not moved. The atomic is not used.
struct InPlace: ~Copyable, Sendable {
    private let anchor = Atomic<UInt8>(0)
}
