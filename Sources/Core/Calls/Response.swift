/// The answer to a call with one response, with everything that came along.
public struct Response<Message: Sendable>: Sendable {
    public var message: Message
    /// What the server sent before the message.
    public var initialMetadata: Metadata
    /// What the server sent with the status.
    public var trailingMetadata: Metadata
    /// When what happened; nil when an interceptor answered.
    public var timeline: CallTimeline? { call?.timeline }
    var call: CallCore?
    /// Whether the message was compressed on the wire.
    package var wasCompressed = false

    @usableFromInline
    init(message: Message, of raw: consuming RawResponse) {
        self.message = message
        initialMetadata = raw.initialMetadata
        trailingMetadata = raw.end.trailers
        call = raw.end.call
        wasCompressed = raw.end.compressedMessages & 1 == 1
    }
}

extension Response: CustomStringConvertible {
    /// The message, and what metadata there is.
    public var description: String {
        var text = "\(message)"
        if !initialMetadata.isEmpty { text += ", initial metadata \(initialMetadata)" }
        if !trailingMetadata.isEmpty { text += ", trailing metadata \(trailingMetadata)" }
        return text
    }
}

/// What a call with one response came to, before the message is decoded.
@usableFromInline struct RawResponse: Sendable {
    var message: [UInt8]?
    var initialMetadata = Metadata()
    var end: CallEnd

    /// The one message, or why there is none.
    @usableFromInline
    func octets() throws(RPCError) -> [UInt8] {
        if var error = end.error {
            if error.initialMetadata.isEmpty { error.initialMetadata = initialMetadata }
            throw error
        }
        guard let message else {
            throw RPCError.noMessage
        }
        return message
    }

    @inlinable
    consuming func result<Reply>(_ codec: Codec<Reply>) -> Result<Response<Reply>, RPCError> {
        do throws(RPCError) {
            return .success(try response(codec))
        } catch {
            return .failure(error)
        }
    }

    @inlinable
    consuming func response<Reply>(_ codec: Codec<Reply>) throws(RPCError) -> Response<Reply> {
        let octets = try octets()
        return Response(message: try codec.decode(octets.span), of: self)
    }
}
