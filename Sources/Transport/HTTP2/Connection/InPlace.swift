import Synchronization

/// A value with a stored property of this type is passed by address.
///
/// Without it, the compiler passes a large noncopyable value to another module's borrowing method by moving
/// its bytes. A value that contains an atomic has a fixed address and is not moved. The atomic is not used.
struct InPlace: ~Copyable, Sendable {
    private let anchor = Atomic<UInt8>(0)
}
