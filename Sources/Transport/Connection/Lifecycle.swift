/// How a connection comes to its end (RFC 9113 §6.8): what each side has said, and whether a rule
/// was broken.
struct Lifecycle: Sendable {
    /// What a GOAWAY has promised.
    enum Side: Hashable, Sendable {
        case open
        /// No new streams; those up to `last` are or may be served.
        case leaving(last: StreamID)

        /// Whether a GOAWAY is the first, or the second of a farewell in two steps.
        func expects(_ frame: GoAwayFrame) -> Bool {
            switch self {
            case .open: true
            case .leaving(let last): last == .last && frame.lastStreamID != .last
            }
        }
    }

    /// What the peer said.
    var peer = Side.open
    /// What we said.
    var own = Side.open
    /// The PING whose answer ends the first half of our graceful leave.
    var awaitsGracePing = false
    var hasFailed = false

    var isDraining: Bool { peer != .open || own != .open || hasFailed }
}
