/// The response of a call with one response, with its metadata.
public struct Response<Message: Sendable>: Sendable {
    public var message: Message
    /// The rest of the response.
    @usableFromInline var raw: RawResponse

    @inlinable
    init(message: Message, _ raw: consuming RawResponse) {
        self.message = message
        self.raw = raw
    }
}

extension Response {
    /// - Parameter end: The end of a call with status OK.
    package init(message: Message, initialMetadata: Metadata, end: CallEnd?) {
        self.init(
            message: message,
            RawResponse(initialMetadata: initialMetadata, end: end ?? CallEnd(error: nil)))
    }

    /// The metadata that the server sent before the message.
    public var initialMetadata: Metadata {
        get { raw.initialMetadata ?? Metadata() }
        set { raw.initialMetadata = newValue }
    }

    /// The metadata that the server sent with the status.
    public var trailingMetadata: Metadata {
        get { raw.end.trailers }
        set { raw.end.trailers = newValue }
    }

    /// The times of the call; nil if an interceptor answered.
    public var timeline: CallTimeline? { raw.end.timeline }

    /// Whether the message arrived compressed.
    package var wasCompressed: Bool { raw.end.compressedMessages & 1 == 1 }
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
    package internal(set) var initialMetadata: Metadata?
    package internal(set) var end: CallEnd

    /// Moves the response out.
    @usableFromInline
    mutating func take() -> RawResponse {
        let taken = consume self
        self = RawResponse(end: CallEnd(error: nil))
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
        return try message.takeOnly(of: method, end.trailers)
    }

    @inlinable
    package mutating func takeResponse<Reply>(
        _ codec: Codec<Reply>
    ) throws(RPCError) -> Response<Reply> {
        let bytes = try takeBytes(of: codec.method)
        return Response(message: try codec.decode(ContiguousArray(bytes).span), take())
    }
}
