/// What a selector and its calls keep of a cluster: the cluster stays in the configuration as long as this exists. The
/// picker reads the cluster's name.
final class ClusterUse: Sendable {
    let name: ByteText
    private let whenReleased: @Sendable (ByteText) -> Void

    init(_ name: ByteText, whenReleased: @escaping @Sendable (ByteText) -> Void) {
        self.name = name
        self.whenReleased = whenReleased
    }

    deinit { whenReleased(name) }
}
