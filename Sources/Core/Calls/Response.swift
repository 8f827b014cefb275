/// The response of a call with one response, with its metadata.
public struct Response<Message: Sendable>: Sendable {
    public var message: Message
    @usableFromInline var context: ResponseContext

    @inlinable
    init(message: Message, _ context: consuming ResponseContext) {
        self.message = message
        self.context = context
    }
}

extension Response {
    /// - Parameter end: The end of a call with status OK.
    init(message: Message, initialMetadata: Metadata, end: CallEnd?) {
        self.init(
            message: message,
            ResponseContext(
                initialMetadata: initialMetadata, trailingMetadata: end?.trailers ?? Metadata(),
                times: end?.times, wasCompressed: (end?.compressedMessages ?? 0) & 1 == 1))
    }

    /// The metadata that the server sent before the message.
    public var initialMetadata: Metadata {
        get { context.initialMetadata }
        set { context.initialMetadata = newValue }
    }

    /// The metadata that the server sent with the status.
    public var trailingMetadata: Metadata {
        get { context.trailingMetadata }
        set { context.trailingMetadata = newValue }
    }

    /// The times of the call; nil if an interceptor answered.
    public var timeline: CallTimeline? { context.times?.timeline }

    /// Whether the message arrived compressed.
    package var wasCompressed: Bool { context.wasCompressed }
}

/// The parts of a response besides its message. They do not keep the call alive.
@usableFromInline struct ResponseContext: Sendable {
    var initialMetadata: Metadata
    var trailingMetadata: Metadata
    /// Nil if an interceptor answered.
    var times: CallTimes?
    var wasCompressed: Bool
}

extension Response: CustomStringConvertible {
    /// The message, and the metadata if there is any.
    public var description: String {
        var text = "\(message)"
        if !initialMetadata.isEmpty { text += ", initial metadata \(initialMetadata)" }
        if !trailingMetadata.isEmpty { text += ", trailing metadata \(trailingMetadata)" }
        return text
    }
}

/// The result of a call with one response, before the message is decoded.
///
/// It is passed by address and its parts are moved out: a copy would retain five references.
@usableFromInline package struct RawResponse: Sendable {
    var message: [UInt8]?
    /// Nil if the server sent none before the end.
    package var initialMetadata: Metadata?
    package var end: CallEnd

    /// Moves the response out.
    mutating func take() -> RawResponse {
        var taken = RawResponse(end: CallEnd(error: nil))
        swap(&taken, &self)
        return taken
    }

    /// The message, once. Throws the error of the call, or UNIMPLEMENTED if there is no message.
    @usableFromInline
    package mutating func takeBytes(of method: MethodSignature?) throws(RPCError) -> [UInt8] {
        if var error = end.error {
            if let initialMetadata, error.initialMetadata.isEmpty {
                error.initialMetadata = initialMetadata
            }
            throw error
        }
        guard let bytes = message.take() else { throw RPCError.noMessage.of(method) }
        return bytes
    }

    @inlinable
    mutating func takeResult<Reply>(_ codec: Codec<Reply>) -> Result<Response<Reply>, RPCError> {
        do throws(RPCError) {
            return .success(try takeResponse(codec))
        } catch {
            return .failure(error)
        }
    }

    @inlinable
    mutating func takeResponse<Reply>(_ codec: Codec<Reply>) throws(RPCError) -> Response<Reply> {
        let bytes = try takeBytes(of: codec.method)
        return Response(message: try codec.decode(ContiguousArray(bytes).span), takeContext())
    }

    @usableFromInline
    mutating func takeContext() -> ResponseContext {
        ResponseContext(
            initialMetadata: initialMetadata.take() ?? Metadata(),
            trailingMetadata: end.trailers.take(),
            times: end.times.take(), wasCompressed: end.compressedMessages & 1 == 1)
    }
}
