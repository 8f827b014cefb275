/// How a call ended, as the carrier of its stream reports it.
///
/// The call uses it to make the ``CallEnd`` that its observer receives. A ``CallEnd`` is five times
/// as large, because it also has the times of the call.
package struct ResponseEnd {
    /// Nil means OK.
    var error: RPCError?
    /// The metadata that the server sent with the status.
    var trailers: Metadata
    /// A cancellation or a deadline is delivered before messages that were not read, which are dropped. The end
    /// that the server sent is delivered after them.
    var isImmediate = false
    /// Whether the server has sent the trailers: they are not those of a stream that was reset.
    var isOfServer = false

    package init(error: RPCError?, trailers: Metadata = Metadata()) {
        self.error = error
        self.trailers = trailers
    }

    init(error: RPCError, trailers: Metadata = Metadata(), isImmediate: Bool) {
        self.init(error: error, trailers: trailers)
        self.isImmediate = isImmediate
    }
}
