import Synchronization

/// Keeps what it is a part of in one place, to be handed about by its address.
///
/// A large value that cannot be copied is copied all the same, octet by octet, for a method of
/// another module that only looks at it. An atomic has an address of its own, and so has what it
/// stands in. Nothing is ever stored here.
struct InPlace: ~Copyable, Sendable {
    private let anchor = Atomic<UInt8>(0)
}
