import SwiftletCore
import SwiftletTransport

/// JSON-RPC 2.0.
///
/// ```swift
/// let client = RPCClient(channel: channel, JSONRPC(path: "/rpc"))
/// let sum: Int = try await client.call("sum", [1, 2, 3])
/// try await client.notify("log", ["done"])
/// ```
public struct JSONRPC: RPCProtocol {
    private let path: String
    private var additionalFields: [String: JSONValue]
    let isLenient: Bool

    /// - Parameters:
    ///   - path: The path of requests, such as `/rpc`.
    ///   - additionalFields: The fields that every request has in addition to those of the specification;
    ///     none by default. A field with a name of the specification replaces that field. If a string or an
    ///     integer replaces `id`, the answer must contain that ID. A notification has no `id`, even if this
    ///     sets one.
    ///   - isLenient: Whether answers are accepted without `jsonrpc`, with another version, with any ID, and
    ///     with errors of another shape than the specification's; false by default. The answers of a batch
    ///     always need their IDs. An `error` that is `null`, `false`, or an empty string, array or object is no
    ///     error. A string is the message of an error with code 0. The code of an error may be text.
    public init(
        path: String, additionalFields: [String: JSONValue] = [:], isLenient: Bool = false
    ) {
        self.path = path
        self.isLenient = isLenient
        self.additionalFields = additionalFields
    }

    public func path(of method: String) -> String { path }

    public func box<Parameters: Encodable>(
        method: String, parameters: Parameters, ticket: RPCTicket
    ) throws -> [UInt8] {
        try body(method, parameters, ticket)
    }

    public func unbox<Value: Decodable>(_ body: [UInt8], _ ticket: RPCTicket) throws -> Value {
        let answer: Answer<Value> = try JSONBody.decode(body)
        return try answer.value(for: ticket.id, isLenient: isLenient)
    }

    public func duplicateKey<Parameters: Encodable>(
        method: String, parameters: Parameters
    ) throws -> [UInt8]? {
        try body(method, parameters, nil)
    }

    public func failure(in body: [UInt8], _ ticket: RPCTicket?) -> (any Error)? {
        guard let answer: Answer<NoResult> = try? JSONBody.decode(body) else { return nil }
        let isForTicket =
            answer.id.map { id in ticket.map { id.hasBytes(of: $0.id) } ?? true } ?? true
        guard isLenient || answer.isSupported && isForTicket else { return nil }
        return try? answer.error?.reading(isLenient: isLenient)
    }

    /// This protocol with more additional fields. They replace fields of the same names.
    func adding(_ fields: [String: JSONValue]) -> JSONRPC {
        var kind = self
        kind.additionalFields.merge(fields) { $1 }
        return kind
    }

    /// This protocol for a batch. It has no fixed `id`, because the ID of each answer identifies its request.
    var inBatch: JSONRPC {
        var kind = self
        kind.additionalFields["id"] = nil
        return kind
    }

    public func id(of ticket: RPCTicket) -> String {
        switch additionalFields["id"] {
        case .string(let text): text
        case .integer(let number): "\(number)"
        case .unsigned(let number): "\(number)"
        default: ticket.id
        }
    }

    /// Encodes a request, or a notification when there is no ticket.
    func body(
        _ method: String, _ parameters: some Encodable, _ ticket: RPCTicket?
    ) throws -> [UInt8] {
        var fields: [String: [UInt8]] = [:]
        fields["jsonrpc"] = try JSONBody.encode("2.0")
        fields["method"] = try JSONBody.encode(method)
        fields["params"] = try Self.bytes(of: parameters)
        fields["id"] = try ticket.map { try JSONBody.encode($0.id) }
        for (name, value) in additionalFields where name != "id" || ticket != nil {
            fields[name] = try JSONBody.encode(value)
        }
        return try JSONBody.object(fields)
    }

    /// Encodes parameters; nil when there are none. The specification allows only an array or an object
    /// (§4.2). Throws INVALID_ARGUMENT for any other value.
    private static func bytes(of parameters: some Encodable) throws -> [UInt8]? {
        if parameters is NoParameters { return nil }
        let bytes = try JSONBody.encode(parameters)
        if bytes == Array("null".utf8) { return nil }
        guard let first = bytes.first, first == UInt8(ascii: "[") || first == UInt8(ascii: "{")
        else {
            let text = String(decoding: bytes.prefix(80), as: UTF8.self)
            throw RPCError.refused(
                .invalidArgument,
                "JSON-RPC parameters have to be an array or an object, not '\(text)'")
        }
        return bytes
    }
}

/// An error in the answer of a JSON-RPC server.
public struct JSONRPCError: Error, Hashable, Sendable {
    /// A code of the specification, or a code that the server defines.
    public var code: Int
    /// The server's description of the error.
    public var message: String
    /// Additional information from the server; nil when there is none.
    public var data: JSONValue?

    public init(code: Int, message: String, data: JSONValue? = nil) {
        self.code = code
        self.message = message
        self.data = data
    }

    /// The request is not valid JSON.
    public static let parseErrorCode = -32_700
    /// The JSON is not a request.
    public static let invalidRequestCode = -32_600
    /// The server has no method of this name.
    public static let methodNotFoundCode = -32_601
    /// The parameters do not fit the method.
    public static let invalidParametersCode = -32_602
    /// The server failed.
    public static let internalErrorCode = -32_603
}

extension JSONRPCError: Codable {}

extension JSONRPCError: CustomStringConvertible {
    public var description: String {
        RPCError.shown("JSON-RPC error \(code): \(message)" + (data.map { " (\($0))" } ?? ""))
    }
}

// MARK: - On the wire

extension JSONRPC {
    struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { return nil }
    }

    /// The ID of an answer. It is decoded even if the rest of the answer is not valid.
    struct AnswerID: Decodable {
        var id: String?

        init(from decoder: any Decoder) throws {
            id = (try? decoder.container(keyedBy: Key.self)).flatMap(Self.id)
        }

        /// Returns the ID as text; a number is converted.
        static func id(in container: KeyedDecodingContainer<Key>) -> String? {
            if let text = try? container.decode(String.self, forKey: Key("id")) { return text }
            if let number = try? container.decode(Int64.self, forKey: Key("id")) {
                return "\(number)"
            }
            return (try? container.decode(UInt64.self, forKey: Key("id"))).map { "\($0)" }
        }
    }

    struct Answer<Value: Decodable>: Decodable {
        var version: String?
        var id: String?
        var result: Value?
        var hasResult: Bool
        var error: AnsweredError?

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            version = try? container.decodeIfPresent(String.self, forKey: Key("jsonrpc"))
            id = AnswerID.id(in: container)
            error = try container.decodeIfPresent(AnsweredError.self, forKey: Key("error"))
            hasResult = container.contains(Key("result"))
            result =
                error?.isFailure != true && hasResult
                ? try container.decode(Value.self, forKey: Key("result")) : nil
        }

        /// Whether the answer is JSON-RPC 2.0.
        var isSupported: Bool { version.map { $0.hasBytes(of: "2.0") } ?? false }

        func value(for expectedID: String, isLenient: Bool) throws -> Value {
            guard isLenient || isSupported else {
                throw RPCError(.internal, "the answer is not JSON-RPC 2.0")
            }
            // The ID is the server's text, which is compared as bytes.
            let isExpected = id.map { $0.hasBytes(of: expectedID) } ?? false
            // If the server could not read a request, its answer has no ID.
            if isLenient || id == nil || isExpected,
                let error = try error?.reading(isLenient: isLenient)
            {
                throw error
            }
            guard isLenient || isExpected else {
                let shown = id.map(RPCError.shown) ?? "none"
                throw RPCError(
                    .internal, "the answer is for request '\(shown)' instead of '\(expectedID)'")
            }
            guard let result else {
                throw RPCError(.internal, "the answer has neither a result nor an error")
            }
            return result
        }
    }
}

/// No parameters: the request has no field `params`.
public struct NoParameters: Encodable, Sendable {
    public init() {}
}

/// The type of a result that is ignored. Any value is accepted, also null.
public struct NoResult: Decodable, Sendable {
    public init() {}
    public init(from decoder: any Decoder) throws {}
}
