public import SwiftletCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A way to make procedure calls over HTTP: where a request goes, how its parameters are wrapped,
/// and how an answer is unwrapped into a result or an error.
///
/// ``JSONRPC`` is the shipped one. One of a program's own is a few lines:
///
/// ```swift
/// struct Envelope: RPCProtocol {
///     struct Answer<Value: Decodable>: Decodable { var ok: Bool; var value: Value? }
///
///     func path(of method: String) -> String { "/api/\(method)" }
///     func unbox<Value: Decodable>(_ body: [UInt8], _ ticket: RPCTicket) throws -> Value {
///         let answer: Answer<Value> = try JSONBody.decode(body)
///         guard answer.ok, let value = answer.value else { throw Refused() }
///         return value
///     }
/// }
/// ```
public protocol RPCProtocol: Sendable {
    /// Where requests for a method are posted.
    func path(of method: String) -> String

    /// What bodies of requests are. JSON unless a protocol says otherwise.
    var contentType: String { get }

    /// What bodies of answers may be. JSON unless a protocol says otherwise.
    var accept: String { get }

    /// The body of a request. As it is unless a protocol wraps it.
    func box<Parameters: Encodable>(
        _ method: String, _ parameters: Parameters, _ ticket: RPCTicket
    ) throws -> [UInt8]

    /// The result in an answer's body, or its error, thrown. As it is unless a protocol wraps it.
    func unbox<Value: Decodable>(_ body: [UInt8], _ ticket: RPCTicket) throws -> Value

    /// The error in the body of an answer whose HTTP status tells of one; nil, which is what a
    /// protocol says that does not speak of that, leaves it at the status.
    func failure(in body: [UInt8], _ ticket: RPCTicket?) -> (any Error)?
}

extension RPCProtocol {
    public var contentType: String { "application/json" }

    public var accept: String { "application/json" }

    public func box<Parameters: Encodable>(
        _ method: String, _ parameters: Parameters, _ ticket: RPCTicket
    ) throws -> [UInt8] {
        try JSONBody.encode(parameters)
    }

    public func unbox<Value: Decodable>(_ body: [UInt8], _ ticket: RPCTicket) throws -> Value {
        try JSONBody.decode(body)
    }

    public func failure(in body: [UInt8], _ ticket: RPCTicket?) -> (any Error)? { nil }
}

/// Tells a request from all others, so that its answer is known.
public struct RPCTicket: Hashable, Sendable {
    public let id: String

    public init() { id = UUID().uuidString }

    public init(id: String) { self.id = id }
}

/// JSON as the octets of a body.
public enum JSONBody {
    public static func encode(_ value: some Encodable) throws -> [UInt8] {
        Array(try JSONEncoder().encode(value))
    }

    public static func decode<Value: Decodable>(_ body: [UInt8]) throws -> Value {
        try JSONDecoder().decode(Value.self, from: Data(body))
    }

    /// The octets of each element of a list that has been read and found in order.
    static func elements(of list: [UInt8]) -> [[UInt8]] {
        var elements: [[UInt8]] = []
        var start = 0
        var depth = 0
        var isString = false
        var isEscaped = false
        for (index, octet) in list.enumerated() {
            if isString {
                if isEscaped {
                    isEscaped = false
                } else if octet == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if octet == UInt8(ascii: "\"") {
                    isString = false
                }
                continue
            }
            switch octet {
            case UInt8(ascii: "\""): isString = true
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                if depth == 1 { start = index + 1 }
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                depth -= 1
                if depth == 0 { elements.append(Array(list[start..<index])) }
            case UInt8(ascii: ",") where depth == 1:
                elements.append(Array(list[start..<index]))
                start = index + 1
            default: break
            }
        }
        return elements
    }
}

/// No protocol: a body is sent as it is, and so is the answer. Octets, as `[UInt8]` or `Data`, stay
/// what they are; other values are JSON.
public struct PlainBodies: RPCProtocol {
    public let contentType: String
    public let accept: String
    private let prefix: String

    /// - Parameters:
    ///   - prefix: Stands in front of the method's name in the path.
    ///   - contentType: What is sent.
    ///   - accept: What is wanted.
    public init(
        prefix: String = "/", contentType: String = "application/json",
        accept: String = "application/json"
    ) {
        self.prefix = prefix
        self.contentType = contentType
        self.accept = accept
    }

    public func path(of method: String) -> String { prefix + method }

    public func box<Parameters: Encodable>(
        _ method: String, _ parameters: Parameters, _ ticket: RPCTicket
    ) throws -> [UInt8] {
        // By their type: an empty list of anything can be cast to one of octets.
        if Parameters.self == [UInt8].self, let octets = parameters as? [UInt8] { return octets }
        if let data = parameters as? Data { return Array(data) }
        return try JSONBody.encode(parameters)
    }

    public func unbox<Value: Decodable>(_ body: [UInt8], _ ticket: RPCTicket) throws -> Value {
        if Value.self == [UInt8].self, let octets = body as? Value { return octets }
        if Value.self == Data.self, let data = Data(body) as? Value { return data }
        return try JSONBody.decode(body)
    }
}

/// Makes calls of a protocol over a channel: its connections, TLS, deadlines, cancellation and
/// interceptors.
///
/// ```swift
/// let client = RPCClient(channel: channel, JSONRPC(path: "/rpc"))
/// let sum: Int = try await client.call("sum", [1, 2, 3])
/// ```
public struct RPCClient<Kind: RPCProtocol>: Sendable {
    public let channel: Channel
    public let kind: Kind
    public var options: CallOptions
    private let makeTicket: @Sendable () -> RPCTicket

    /// - Parameters:
    ///   - channel: Where calls are made.
    ///   - kind: Their protocol.
    ///   - options: What holds for all of them.
    ///   - makeTicket: Makes the ticket of a call; one by chance, unless a test or a server wants
    ///     another.
    public init(
        channel: Channel, _ kind: Kind, _ options: CallOptions = CallOptions(),
        makeTicket: @escaping @Sendable () -> RPCTicket = { RPCTicket() }
    ) {
        self.channel = channel
        self.kind = kind
        self.options = options
        self.makeTicket = makeTicket
    }

    /// Makes a call and waits for its result. Throws what the protocol finds in the answer, or an
    /// `RPCError` for what is no answer of it.
    public func call<Parameters: Encodable & Sendable, Value: Decodable & Sendable>(
        _ method: String, _ parameters: Parameters, returning type: Value.Type = Value.self
    ) async throws -> Value {
        let ticket = makeTicket()
        let body = try await post(
            kind.path(of: method), try kind.box(method, parameters, ticket), ticket)
        return try Self.reading(body) { try kind.unbox(body, ticket) }
    }

    /// Posts a body, and returns that of an answer with a status of 2xx.
    func post(
        _ path: String, _ body: [UInt8], _ ticket: RPCTicket? = nil
    ) async throws -> [UInt8] {
        let answer = try await channel.post(
            path, contentType: kind.contentType, accept: kind.accept, body: body, options)
        guard (200..<300).contains(answer.status) else {
            throw kind.failure(in: answer.body, ticket) ?? RPCError.notSuccessful(answer)
        }
        return answer.body
    }

    /// Runs `unbox`, and says what a body that cannot be read begins with.
    static func reading<Value>(_ body: [UInt8], _ unbox: () throws -> Value) throws -> Value {
        do {
            return try unbox()
        } catch let error as DecodingError {
            let beginning = String(decoding: body.prefix(80), as: UTF8.self)
            throw RPCError(
                .internal, "the answer is not what was expected: \(error) in '\(beginning)'")
        }
    }
}

extension RPCError {
    fileprivate static func notSuccessful(_ answer: HTTPAnswer) -> RPCError {
        let beginning = String(decoding: answer.body.prefix(80), as: UTF8.self)
        var error = RPCError(
            StatusMapping.code(forHTTPStatus: answer.status),
            "the server answered HTTP \(answer.status)"
                + (beginning.isEmpty ? "" : " '\(beginning)'"))
        error.origin = .server
        error.phase = .server
        error.initialMetadata = answer.headers
        error.timeline = answer.timeline
        return error
    }
}
