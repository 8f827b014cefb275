#if SWIFTLET_WATCHED_LOCKS
    import SwiftletTransport

    // Each module declares this name itself: only a declaration in the module hides the name that
    // `Synchronization` exports.
    typealias Mutex = WatchedMutex
#endif
