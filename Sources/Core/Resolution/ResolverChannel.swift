/// The channel that a resolver is made for, as a module of this package sees it. A class, because copies of so many
/// values would be a lot of code in every program.
package final class ResolverChannel: Sendable {
    package let target: Target
    /// The `:authority` of its requests.
    package let authority: String
    package let arguments: ChannelArguments
    package let credentials: ChannelCredentials
    /// The loop that runs its timers.
    package let loop: EventLoop
    /// Nil if it is not measured.
    package let meter: (any ChannelMeter)?
    /// Adds to the events of the channel that it does not encrypt the calls to a cluster, although the control plane
    /// demands TLS. Not to be called under a lock.
    package let noteEncryptionIgnored: @Sendable (_ cluster: String) -> Void

    init(
        target: Target, authority: String, arguments: ChannelArguments,
        credentials: ChannelCredentials, loop: EventLoop, meter: (any ChannelMeter)?,
        noteEncryptionIgnored: @escaping @Sendable (_ cluster: String) -> Void
    ) {
        self.target = target
        self.authority = authority
        self.arguments = arguments
        self.credentials = credentials
        self.loop = loop
        self.meter = meter
        self.noteEncryptionIgnored = noteEncryptionIgnored
    }
}
