import SwiftletTransport

/// How many messages each side sends.
public enum CallShape: Hashable, Sendable {
    case unary, clientStreaming, serverStreaming, bidirectional

    /// Whether the client sends a stream of messages.
    public var hasRequestStream: Bool { self == .clientStreaming || self == .bidirectional }

    /// Whether the server sends a stream of messages.
    public var hasResponseStream: Bool { self == .serverStreaming || self == .bidirectional }
}

/// Converts values of one type to bytes and back.
///
/// Messages of this library have a codec. Those of another library need a few lines, such as these for
/// messages that SwiftProtobuf generates:
///
/// ```swift
/// extension Codec where Value: SwiftProtobuf.Message {
///     static var swiftProtobuf: Codec {
///         Codec(bytes: { try $0.serializedBytes() }, value: { try Value(serializedBytes: $0) })
///     }
/// }
/// ```
public struct Codec<Value: Sendable>: Sendable {
    /// An object, because every stream refers to its codecs.
    @usableFromInline package final class Parts: Sendable {
        @usableFromInline let contentSubtype: String?
        @usableFromInline package let encode: @Sendable (Value) throws -> EncodedMessage
        @usableFromInline package let decode: @Sendable (Span<UInt8>) throws -> Value
        @usableFromInline let method: MethodSignature?

        @usableFromInline
        init(
            _ contentSubtype: String?,
            encode: @escaping @Sendable (Value) throws -> EncodedMessage,
            decode: @escaping @Sendable (Span<UInt8>) throws -> Value, _ method: MethodSignature?
        ) {
            self.contentSubtype = contentSubtype
            self.encode = encode
            self.decode = decode
            self.method = method
        }
    }

    @usableFromInline package let parts: Parts

    /// The part of the content type after `application/grpc+`, such as `proto` or `json`; nil means
    /// none.
    public var contentSubtype: String? { parts.contentSubtype }

    /// The method whose codec this is, for errors; nil before it belongs to one.
    @usableFromInline package var method: MethodSignature? { parts.method }

    /// - Parameters:
    ///   - contentSubtype: The part of the content type after `application/grpc+`. The default is
    ///     none, which means `proto`.
    ///   - encode: Returns `prefixByteCount` zeros, which are filled in later, followed by the
    ///     bytes of a value.
    ///   - decode: Returns the value of the bytes. If it throws an ``RPCError``, the call fails
    ///     with that error. Any other error fails the call with INTERNAL.
    public init(
        contentSubtype: String? = nil,
        encode: @escaping @Sendable (Value, _ prefixByteCount: Int) throws -> [UInt8],
        decode: @escaping @Sendable (Span<UInt8>) throws -> Value
    ) {
        self.init(
            contentSubtype: contentSubtype,
            message: { value in
                var bytes = try encode(value, MessagePrefix.byteCount)
                let byteCount = bytes.count - MessagePrefix.byteCount
                guard byteCount >= 0, bytes[..<MessagePrefix.byteCount].allSatisfy({ $0 == 0 })
                else { throw RPCError.prefixMissing }
                // The prefix is written here, because the array has only one reference at this
                // point. A later write would copy the array.
                bytes.writePrefix(isCompressed: false, byteCount)
                return .whole(bytes)
            },
            decode: decode)
    }

    /// - Parameter message: Encodes a value with its prefix.
    @inlinable
    package init(
        contentSubtype: String? = nil,
        message: @escaping @Sendable (Value) throws -> EncodedMessage,
        decode: @escaping @Sendable (Span<UInt8>) throws -> Value
    ) {
        parts = Parts(contentSubtype, encode: message, decode: decode, nil)
    }

    /// A method's own codec.
    fileprivate init(_ other: Codec, of method: MethodSignature) {
        parts = Parts(
            other.contentSubtype, encode: other.parts.encode, decode: other.parts.decode, method)
    }
}

// Inlinable together with the functions that call them: if `Value` is known at compile time, a call
// needs no type metadata.
extension Codec {
    /// Encodes a value, with the prefix of an uncompressed message before it.
    @inlinable
    package func encode(_ value: Value) throws(RPCError) -> EncodedMessage {
        do {
            return try parts.encode(value)
        } catch {
            throw callError(error, or: RPCError.encodingFailed)
        }
    }

    @inlinable
    package func decode(_ bytes: Span<UInt8>) throws(RPCError) -> Value {
        do {
            return try parts.decode(bytes)
        } catch {
            throw callError(error, or: RPCError.decodingFailed)
        }
    }

    /// The error of a closure, as that of a call of the method.
    @usableFromInline
    func callError(_ error: any Error, or other: (any Error) -> RPCError) -> RPCError {
        (error as? RPCError ?? other(error)).of(method)
    }
}

extension RPCError {
    /// The error with the method of its call, unless it has one.
    package func of(_ signature: MethodSignature?) -> RPCError {
        guard method == nil, let signature else { return self }
        var error = self
        error.method = signature.path
        return error
    }

    @usableFromInline
    static func encodingFailed(_ error: any Error) -> RPCError {
        .refused(.internal, "the request cannot be encoded: \(error)")
    }

    static var prefixMissing: RPCError {
        .refused(
            .internal,
            "the codec must return \(MessagePrefix.byteCount) zeros before the message, for its prefix"
        )
    }

    @usableFromInline
    static func decodingFailed(_ error: any Error) -> RPCError {
        RPCError(.internal, "the response cannot be decoded: \(error)")
    }
}

extension Codec {
    /// A codec of messages that another library turns into an array of bytes, and back. The bytes of each
    /// message are copied once.
    ///
    /// - Parameters:
    ///   - contentSubtype: The part of the content type after `application/grpc+`. The default is
    ///     none, which means `proto`.
    ///   - bytes: Returns the bytes of a value, without a prefix. If it throws an ``RPCError``, the call fails
    ///     with that error. Any other error fails the call with INTERNAL.
    ///   - value: Returns the value of the bytes. Its errors count as those of `bytes`.
    public init(
        contentSubtype: String? = nil,
        bytes: @escaping @Sendable (Value) throws -> [UInt8],
        value: @escaping @Sendable ([UInt8]) throws -> Value
    ) {
        self.init(
            contentSubtype: contentSubtype,
            message: { EncodedMessage(prefixing: try bytes($0)) },
            decode: { try value([UInt8](copying: $0)) })
    }
}

extension Codec<[UInt8]> {
    /// Messages that are bytes.
    public static let bytes = Codec(
        message: { EncodedMessage(prefixing: $0) },
        decode: { bytes in [UInt8](copying: bytes) })
}

/// A remote procedure: its path, its shape, and the codecs of its messages. Store it in a static
/// property, because creating it allocates memory.
public struct Method<Request: Sendable, Reply: Sendable>: Sendable {
    /// The part that does not depend on the types of the messages.
    @usableFromInline package let signature: MethodSignature
    public let requestCodec: Codec<Request>
    public let replyCodec: Codec<Reply>

    /// - Parameters:
    ///   - path: `/package.Service/Method`, as a literal. If it is malformed, the program ends with
    ///     an error message.
    ///   - shape: How many messages each side sends.
    ///   - request: The codec of requests.
    ///   - reply: The codec of replies.
    public init(
        _ path: StaticString, _ shape: CallShape, request: Codec<Request>, reply: Codec<Reply>
    ) {
        do throws(RPCError) {
            try self.init(checked: "\(path)", isLiteral: true, shape, request, reply)
        } catch {
            // A malformed literal is a mistake in the program, which the caller cannot handle.
            fatalError(error.message)
        }
    }

    /// A method whose path is not a literal. Throws INVALID_ARGUMENT if it does not have the form
    /// `/package.Service/Method`.
    public init(
        path: String, _ shape: CallShape, request: Codec<Request>, reply: Codec<Reply>
    ) throws(RPCError) {
        try self.init(checked: path, isLiteral: false, shape, request, reply)
    }

    private init(
        checked path: String, isLiteral: Bool, _ shape: CallShape, _ request: Codec<Request>,
        _ reply: Codec<Reply>
    ) throws(RPCError) {
        guard MethodName.isLegal(path) else {
            throw .refused(
                .invalidArgument,
                "not the path of a method: '\(path)' (expected /package.Service/Method in ASCII)")
        }
        self.init(
            trusted: path, isLiteral: isLiteral, shape, request: request, reply: reply)
    }

    /// - Parameter path: A path from this library, which is well formed.
    package init(
        trusted path: String, isLiteral: Bool = true, _ shape: CallShape, request: Codec<Request>,
        reply: Codec<Reply>
    ) {
        assert(MethodName.isLegal(path))
        signature = MethodSignature(
            path: path, shape: shape, contentSubtype: request.contentSubtype,
            isLiteral: isLiteral)
        requestCodec = Codec(request, of: signature)
        replyCodec = Codec(reply, of: signature)
    }

    /// `/package.Service/Method`.
    public var path: String { signature.path }
    public var shape: CallShape { signature.shape }

    /// `package.Service`.
    public var serviceName: String { MethodName(path: path)?.service ?? "" }
    /// `Method`.
    public var name: String { MethodName(path: path)?.method ?? "" }
}

/// The untyped part of a method. An object, because every call holds a reference to it.
@usableFromInline package final class MethodSignature: Sendable {
    package let path: String
    package let shape: CallShape
    /// The part of the content type after `application/grpc+`; nil means none.
    let contentSubtype: String?
    /// The headers of a plain HTTP request; nil for gRPC.
    package let plain: PlainExchange?
    let framing: BodyFraming
    /// Whether the path is a literal of the program. There are few such paths, so metrics name
    /// all of them. Metrics name another path only if `MetricSink.recordsPath(_:)` is true.
    package let isLiteral: Bool

    package init(
        path: String, shape: CallShape, contentSubtype: String?, plain: PlainExchange? = nil,
        isLiteral: Bool = false
    ) {
        self.path = path
        self.shape = shape
        self.contentSubtype = contentSubtype
        self.plain = plain
        framing = plain == nil ? .lengthPrefixed : .wholeBody
        self.isLiteral = isLiteral
    }
}

extension MethodSignature {
    /// The same method with another path. For nil, returns this method.
    package func at(_ path: String?) -> MethodSignature {
        guard let path, path != self.path else { return self }
        return MethodSignature(
            path: path, shape: shape, contentSubtype: contentSubtype, plain: plain)
    }
}

/// The parts of a path.
package struct MethodName: Equatable {
    let service: String
    let method: String

    /// Nil if the path does not have the form `/package.Service/Method` in printable ASCII.
    init?(path: String) {
        guard Self.isLegal(path), let slash = path.lastIndex(of: "/") else { return nil }
        service = String(path[..<slash].dropFirst())
        method = String(path[slash...].dropFirst())
    }

    /// Whether a text is a path of HTTP, with or without a query.
    package static func isPath(_ text: String) -> Bool {
        text.utf8.first == UInt8(ascii: "/") && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }

    /// Called for every method that is made. Therefore it allocates no memory.
    package static func isLegal(_ path: String) -> Bool {
        var slashCount = 0
        var byteCount = 0
        var last = UInt8(0)
        for byte in path.utf8 {
            guard (0x21...0x7e).contains(byte) else { return false }
            if byteCount == 0 {
                guard byte == UInt8(ascii: "/") else { return false }
            } else if byte == UInt8(ascii: "/") || byte == UInt8(ascii: ".") {
                // Neither the package, nor the service, nor the method is empty.
                guard last != UInt8(ascii: "/"), last != UInt8(ascii: ".") else { return false }
                if byte == UInt8(ascii: "/") { slashCount += 1 }
            }
            last = byte
            byteCount += 1
        }
        return slashCount > 0 && last != UInt8(ascii: "/") && last != UInt8(ascii: ".")
    }
}
