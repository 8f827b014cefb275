import SwiftletCore

/// JSON-RPC 2.0.
///
/// ```swift
/// let client = RPCClient(channel: channel, JSONRPC(path: "/rpc"))
/// let sum: Int = try await client.call("sum", [1, 2, 3])
/// try await client.notify("log", ["done"])
/// ```
public struct JSONRPC: RPCProtocol {
    private let path: String
    private let additionalFields: [String: JSONValue]
    private static let ownFields: Set = ["jsonrpc", "method", "params", "id"]

    /// - Parameters:
    ///   - path: Where requests are sent, such as `/rpc`.
    ///   - additionalFields: Stand in every request beside those of the specification. Those of its
    ///     names are left out.
    public init(path: String, additionalFields: [String: JSONValue] = [:]) {
        self.path = path
        self.additionalFields = additionalFields.filter { !Self.ownFields.contains($0.key) }
    }

    public func path(of method: String) -> String { path }

    public func box<Parameters: Encodable>(
        _ method: String, _ parameters: Parameters, _ ticket: RPCTicket
    ) throws -> [UInt8] {
        try body(method, parameters, ticket)
    }

    public func unbox<Value: Decodable>(_ body: [UInt8], _ ticket: RPCTicket) throws -> Value {
        let answer: Answer<Value> = try JSONBody.decode(body)
        return try answer.value(for: ticket)
    }

    public func failure(in body: [UInt8], _ ticket: RPCTicket?) -> (any Error)? {
        guard let answer: Answer<NoResult> = try? JSONBody.decode(body), answer.version == "2.0",
            answer.id == nil || ticket == nil || answer.id == ticket?.id
        else { return nil }
        return answer.error
    }

    /// A request, or without a ticket a notification.
    func body(
        _ method: String, _ parameters: some Encodable, _ ticket: RPCTicket?
    ) throws -> [UInt8] {
        let parameters = try Self.octets(of: parameters)
        var body = try JSONBody.encode(
            Request(method: method, id: ticket?.id, additional: additionalFields))
        guard let parameters else { return body }
        // Of what type they are is told by their octets alone, so they are not encoded again.
        body.removeLast()
        body += Array(#","params":"#.utf8) + parameters + [UInt8(ascii: "}")]
        return body
    }

    /// Parameters on the wire, or nil when there are none. Throws when they are neither a list nor
    /// named, which the specification wants them to be (§4.2).
    private static func octets(of parameters: some Encodable) throws -> [UInt8]? {
        if parameters is NoParameters { return nil }
        let octets = try JSONBody.encode(parameters)
        if octets == Array("null".utf8) { return nil }
        guard let first = octets.first, first == UInt8(ascii: "[") || first == UInt8(ascii: "{")
        else {
            let text = String(decoding: octets.prefix(80), as: UTF8.self)
            throw RPCError.refused(
                .invalidArgument,
                "the parameters of JSON-RPC are a list or have names; '\(text)' is neither")
        }
        return octets
    }
}

/// What a server of JSON-RPC says went wrong.
public struct JSONRPCError: Error, Hashable, Sendable {
    /// A number of the specification's or the server's own.
    public var code: Int
    /// One sentence of the server's, for whoever reads the log.
    public var message: String
    /// What else the server says of it, in a shape of its own; nil when it is left out.
    public var data: JSONValue?

    public init(code: Int, message: String, data: JSONValue? = nil) {
        self.code = code
        self.message = message
        self.data = data
    }

    /// The request is no JSON.
    public static let parseErrorCode = -32_700
    /// It is JSON, and no request.
    public static let invalidRequestCode = -32_600
    /// There is no method of the name.
    public static let methodNotFoundCode = -32_601
    /// The parameters are not those of the method.
    public static let invalidParametersCode = -32_602
    /// The server has failed.
    public static let internalErrorCode = -32_603
}

extension JSONRPCError: Codable {}

extension JSONRPCError: CustomStringConvertible {
    public var description: String {
        "JSON-RPC error \(code): \(message)" + (data.map { " (\($0))" } ?? "")
    }
}

// MARK: - On the wire

extension JSONRPC {
    /// A request but for its parameters. It is an object with a field at least.
    private struct Request: Encodable {
        var method: String
        /// Nil is a notification, which nobody answers.
        var id: String?
        var additional: [String: JSONValue]

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            for (name, value) in additional { try container.encode(value, forKey: Key(name)) }
            try container.encode("2.0", forKey: Key("jsonrpc"))
            try container.encode(method, forKey: Key("method"))
            try container.encodeIfPresent(id, forKey: Key("id"))
        }
    }

    struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { return nil }
    }

    /// Whose an answer is, whatever else is wrong with it.
    struct AnswerName: Decodable {
        var id: String?

        init(from decoder: any Decoder) throws {
            id = (try? decoder.container(keyedBy: Key.self)).flatMap(Self.id)
        }

        /// Servers answer with the id they were given; a number is told as its text.
        static func id(in container: KeyedDecodingContainer<Key>) -> String? {
            if let text = try? container.decode(String.self, forKey: Key("id")) { return text }
            return (try? container.decode(Int.self, forKey: Key("id"))).map { "\($0)" }
        }
    }

    struct Answer<Value: Decodable>: Decodable {
        var version: String?
        var id: String?
        var result: Value?
        var hasResult: Bool
        var error: JSONRPCError?

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            version = try container.decodeIfPresent(String.self, forKey: Key("jsonrpc"))
            id = AnswerName.id(in: container)
            error = try container.decodeIfPresent(JSONRPCError.self, forKey: Key("error"))
            hasResult = container.contains(Key("result"))
            result =
                error == nil && hasResult
                ? try container.decode(Value.self, forKey: Key("result")) : nil
        }

        func value(for ticket: RPCTicket) throws -> Value {
            guard version == "2.0" else {
                throw RPCError(.internal, "the answer is not JSON-RPC 2.0")
            }
            // An error about a request that could not be read has no id.
            if let error, id == nil || id == ticket.id { throw error }
            guard id == ticket.id else {
                throw RPCError(
                    .internal,
                    "the answer is for request '\(id ?? "none")' instead of '\(ticket.id)'")
            }
            guard let result else {
                throw RPCError(.internal, "the answer has neither a result nor an error")
            }
            return result
        }
    }
}

/// Stands for no parameters: the request has none then.
public struct NoParameters: Encodable, Sendable {
    public init() {}
}

/// Stands for a result that is of no interest, or null.
public struct NoResult: Decodable, Sendable {
    public init() {}
    public init(from decoder: any Decoder) throws {}
}
