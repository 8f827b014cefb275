#if SWIFTLET_WATCHED_LOCKS
    import SwiftletTransport

    // Each module needs this name of its own, because it has to hide the name that
    // `Synchronization` exports.
    typealias Mutex = WatchedMutex
#endif
