/// The identifiers of the streams that the client opens (RFC 9113 §5.1.1): the used ones, and the next one.
struct RequestIDs: Sendable, ~Copyable {
    private let role: Role
    /// The next stream that a client opens. Nil when all identifiers have been used.
    private var next: StreamID?
    /// How many streams a client has opened.
    private(set) var takenCount = 0
    /// The highest stream that a server has accepted.
    private(set) var lastAccepted = StreamID.connection
    private var skipped = SkippedStreams()

    init(role: Role, first: StreamID) {
        self.role = role
        next = first
    }
}

extension RequestIDs {
    /// Whether all identifiers of a client have been used.
    var isExhausted: Bool { next == nil }

    /// The identifier of the stream that a client opens now; nil when all have been used.
    mutating func takeNext() -> StreamID? {
        guard let id = next else { return nil }
        next = id.successor
        takenCount += 1
        return id
    }

    /// Notes that the client has opened the idle stream `id`.
    mutating func accept(_ id: StreamID) {
        skipped.note(id, after: lastAccepted)
        lastAccepted = id
    }

    /// Whether the stream has not been opened. Push is disabled, so a stream of a server is always idle.
    func isIdle(_ id: StreamID) -> Bool {
        guard id.isClientInitiated else { return true }
        switch role {
        case .client: return next.map { id >= $0 } ?? false
        case .server: return id > lastAccepted
        }
    }

    /// Whether the client skipped the stream when it opened a higher one.
    func wasSkipped(_ id: StreamID) -> Bool { skipped.contains(id) }

    var skippedRangeCount: Int { skipped.rangeCount }
}
