import Synchronization

/// Identifies a plain HTTP request by its bytes without its ID, and keeps the ID that its response
/// has. If a `DuplicateGuard` joins two requests, it sends only the first, so the response has
/// the ID of the first.
package final class RequestIdentity: Sendable {
    private let makeKey: @Sendable () -> [UInt8]?
    private let answeredID: Mutex<String>

    /// - Parameters:
    ///   - id: The ID of this request.
    ///   - makeKey: Returns the bytes to compare, without the ID; nil compares the whole request.
    ///     Called only by a guard.
    package init(id: String, makeKey: @escaping @Sendable () -> [UInt8]?) {
        answeredID = Mutex(id)
        self.makeKey = makeKey
    }

    /// The ID of the request that was sent: this one, or the request that this one joined.
    package var id: String { answeredID.withLock { $0 } }

    package var key: [UInt8]? { makeKey() }

    package func join(_ other: RequestIdentity) {
        let id = other.id
        answeredID.withLock { $0 = id }
    }
}
