public import SwiftletCore
import SwiftletTransport

extension LoopbackServer {
    /// A channel to the server over a pair of sockets inside the process, without an address or a
    /// port. It connects as often as it has to, until the server shuts down.
    public func makeChannel(
        credentials: ChannelCredentials = .insecure,
        arguments: ChannelArguments = ChannelArguments(),
        defaultOptions: CallOptions = CallOptions()
    ) throws(RPCError) -> Channel {
        // The name is what requests are addressed to, and what a certificate is checked for.
        try Channel(
            to: "localhost",
            sockets: { [acceptor] () throws(SystemError) in
                try acceptor.connectInProcess()
            },
            credentials: credentials, arguments: arguments, defaultOptions: defaultOptions)
    }
}

extension Acceptor {
    /// The client's end of a new pair, whose other end is served.
    fileprivate func connectInProcess() throws(SystemError) -> Socket {
        guard !isStopped else { throw SystemError("connect", "the server was shut down", code: 0) }
        do {
            return try Socket.withPair { (mine, theirs) throws(SystemError) -> Socket in
                accept(mine, isTCP: false)
                return theirs
            }
        } catch let error as SystemError {
            throw error
        } catch {
            throw SystemError("socketpair", "\(error)", code: 0)
        }
    }
}
