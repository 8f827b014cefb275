#if SWIFTLET_WATCHED_LOCKS
    import SwiftletTransport

    typealias Mutex = WatchedMutex
#endif
