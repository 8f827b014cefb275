import SwiftletCore

/// What a selector and its calls keep of a cluster: the cluster stays in the configuration as long as this exists.
final class ClusterUse: Sendable {
    let name: ByteText
    /// Of the routes that change the authority of their calls, and of the others.
    private let places: (rewriting: CallPlace, other: CallPlace)
    private let whenReleased: @Sendable (ByteText) -> Void

    init(_ name: ByteText, whenReleased: @escaping @Sendable (ByteText) -> Void) {
        self.name = name
        places = (
            CallPlace(name, rewritesAuthority: true), CallPlace(name, rewritesAuthority: false)
        )
        self.whenReleased = whenReleased
    }

    deinit { whenReleased(name) }

    func place(rewritingAuthority: Bool) -> CallPlace {
        rewritingAuthority ? places.rewriting : places.other
    }

    func place(rewritingAuthority: Bool, of session: Session) -> CallPlace {
        CallPlace(name, rewritesAuthority: rewritingAuthority, session: session)
    }
}

/// What the pickers read of a call. Shared by all calls of a cluster that have no session, so that a call allocates
/// none.
final class CallPlace: CallAttributes {
    let cluster: ByteText
    /// Whether the name of its endpoint becomes the authority of the call (A81).
    let rewritesAuthority: Bool

    /// Nil for most calls.
    let session: Session?

    init(_ cluster: ByteText, rewritesAuthority: Bool, session: Session? = nil) {
        self.cluster = cluster
        self.rewritesAuthority = rewritesAuthority
        self.session = session
    }
}

extension PickInfo {
    /// Nil for a call of another selector.
    var place: CallPlace? { attributes as? CallPlace }
}
