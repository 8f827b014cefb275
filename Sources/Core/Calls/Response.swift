/// The answer to a call with one response, with everything that came along.
public struct Response<Message: Sendable>: Sendable {
    public var message: Message
    @usableFromInline var company: ResponseCompany

    @inlinable
    init(message: Message, _ company: consuming ResponseCompany) {
        self.message = message
        self.company = company
    }
}

extension Response {
    /// What the server sent before the message.
    public var initialMetadata: Metadata {
        get { company.initialMetadata }
        set { company.initialMetadata = newValue }
    }

    /// What the server sent with the status.
    public var trailingMetadata: Metadata {
        get { company.trailingMetadata }
        set { company.trailingMetadata = newValue }
    }

    /// When what happened; nil when an interceptor answered.
    public var timeline: CallTimeline? { company.call?.timeline }

    /// Whether the message was compressed on the wire.
    package var wasCompressed: Bool { company.wasCompressed }
}

/// What comes along with a message, whatever its type.
@usableFromInline struct ResponseCompany: Sendable {
    var initialMetadata: Metadata
    var trailingMetadata: Metadata
    var call: CallCore?
    var wasCompressed: Bool
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
///
/// Handed on by its address and taken apart where it lies: to copy it counts five references.
@usableFromInline package struct RawResponse: Sendable {
    var message: [UInt8]?
    /// Nil when the server sent none but with the end.
    var initialMetadata: Metadata?
    var end: CallEnd

    /// Moves it out.
    mutating func take() -> RawResponse {
        var taken = RawResponse(end: CallEnd(error: nil))
        swap(&taken, &self)
        return taken
    }

    /// The one message, or why there is none.
    @usableFromInline
    mutating func takeOctets() throws(RPCError) -> [UInt8] {
        if var error = end.error {
            if let initialMetadata, error.initialMetadata.isEmpty {
                error.initialMetadata = initialMetadata
            }
            throw error
        }
        guard let octets = message.take() else { throw RPCError.noMessage }
        return octets
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
        let octets = try takeOctets()
        return Response(message: try codec.decode(octets.span), takeCompany())
    }

    /// What is handed on with the message.
    @usableFromInline
    mutating func takeCompany() -> ResponseCompany {
        ResponseCompany(
            initialMetadata: initialMetadata.take() ?? Metadata(),
            trailingMetadata: end.trailers.take(),
            call: end.call.take(), wasCompressed: end.compressedMessages & 1 == 1)
    }
}
