#if SWIFTLET_WATCHED_LOCKS
    import SwiftletTransport

    // Every module above Transport needs this name of its own, because it has to hide the name that
    // `Synchronization` exports. The other modules have links to this file.
    typealias Mutex = WatchedMutex
#endif
