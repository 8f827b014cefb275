/// How a call ended, as the carrier of its stream reports it.
///
/// The call uses it to make the ``CallEnd`` that its observer receives. A ``CallEnd`` is five times
/// as large, because it also has the times of the call.
package struct ResponseEnd: Sendable {
    /// Nil means OK.
    package var error: RPCError?
    /// The metadata that the server sent with the status.
    package var trailers: Metadata

    package init(error: RPCError?, trailers: Metadata = Metadata()) {
        self.error = error
        self.trailers = trailers
    }
}
