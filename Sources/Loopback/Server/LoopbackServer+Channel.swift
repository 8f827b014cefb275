public import SwiftletCore
package import SwiftletTransport

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension LoopbackServer {
    /// Makes a channel to the server over socket pairs inside the process, without an address or a
    /// port. The channel reconnects when a connection is lost. It keeps the server alive, so a test
    /// fixture needs to keep only the channel.
    ///
    /// Fails with INVALID_ARGUMENT when the credentials or the arguments are not usable. After
    /// ``shutdown()``, the calls of the channel fail with UNAVAILABLE.
    ///
    /// - Parameters:
    ///   - credentials: Plain text by default. Certificates are checked for the name `localhost`.
    ///   - arguments: The settings of the channel; `ChannelArguments()` by default.
    ///   - defaultOptions: The options of calls that do not override them; none by default.
    ///   - interceptors: The interceptors of every call, the first listed outermost; none by default.
    ///   - queue: The queue of its connections; nil, the default, is `CompletionQueue.shared`.
    public func makeChannel(
        credentials: ChannelCredentials = .insecure,
        arguments: ChannelArguments = ChannelArguments(),
        defaultOptions: CallOptions = CallOptions(), interceptors: [ChannelInterceptor] = [],
        queue: CompletionQueue? = nil
    ) throws(RPCError) -> Channel {
        try Channel(
            "localhost", credentials: credentials, arguments: arguments,
            defaultOptions: defaultOptions, interceptors: interceptors,
            queues: [try CompletionQueue.orShared(queue)],
            sockets: { [self] () throws(SystemError) in try acceptor.connectInProcess() })
    }

    /// Makes a connection to the server for a client that writes its own HTTP/2.
    package func makeRawConnection() throws(SystemError) -> RawConnection {
        RawConnection(try acceptor.connectInProcess())
    }
}

extension Acceptor {
    /// Returns the client's end of a new socket pair. The server serves the other end.
    fileprivate func connectInProcess() throws(SystemError) -> Socket {
        guard !isStopped else {
            throw SystemError("connect", "to a server that was shut down", code: ECONNREFUSED)
        }
        do {
            return try Socket.withPair { (mine, theirs) throws(SystemError) -> Socket in
                accept(mine, isTCP: false)
                return theirs
            }
        } catch let error as SystemError {
            throw error
        } catch {
            throw SystemError("socketpair", "\(error)", code: ECONNREFUSED)
        }
    }
}
