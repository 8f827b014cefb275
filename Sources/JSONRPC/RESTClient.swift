public import SwiftletCore
public import SwiftletStyles

/// Sends requests with JSON bodies to a RESTful API, over a channel that gRPC calls can also use.
///
/// ```swift
/// let users = try RESTClient(url: "https://api.example.com/v1")
/// let user: User = try await users.get("users/1")
/// let all: [User] = try await users.get("users", query: ["page": "2"])
/// let made: User = try await users.send(.post, "users", body: user)
/// try await users.delete("users/1")
/// ```
///
/// A status other than 2xx throws an `RPCError`, which contains the beginning of the body. To get any
/// response as it is, use `Channel.request(_:_:contentType:accept:body:_:)`.
public struct RESTClient: Sendable {
    public let channel: Channel
    /// The options of every request.
    public var options: CallOptions
    /// The path and query that every path continues.
    private let base: ResourcePath

    /// - Parameters:
    ///   - channel: The channel that requests use.
    ///   - prefix: The part of the path that all requests have in common, such as `/v1`; none by
    ///     default. A query after it is sent with every request.
    ///   - options: The options of every request; none by default.
    public init(channel: Channel, prefix: String = "", _ options: CallOptions = CallOptions()) {
        self.channel = channel
        self.options = options
        base = ResourcePath(prefix)
    }

    /// Makes a client for a URL. The path of the URL is the prefix of every path. The client uses the channel
    /// that `hosts` keeps for all clients of this server. Throws INVALID_ARGUMENT when the text is not a URL
    /// of HTTP.
    ///
    /// - Parameters:
    ///   - url: The URL, such as `https://api.example.com/v1`.
    ///   - options: The options of every request; none by default.
    ///   - hosts: Provides the channel; `HostCache.shared` by default.
    public init(
        url: String, _ options: CallOptions = CallOptions(), hosts: HostCache = .shared
    ) throws(RPCError) {
        let address = try WebAddress(url)
        self.init(
            channel: try hosts.host(at: address.origin).channel(), prefix: address.path, options)
    }

    /// Makes a client for a host. Its ``Host/path`` is the prefix of every path. The client uses the channel
    /// of the host.
    ///
    /// ```swift
    /// let users = try RESTClient(host: .at("https://api.example.com/v1"))
    /// ```
    ///
    /// - Parameters:
    ///   - host: The host.
    ///   - options: The options of every request; none by default.
    public init(host: Host, _ options: CallOptions = CallOptions()) throws(RPCError) {
        self.init(channel: try host.channel(), prefix: host.path, options)
    }
}

extension RESTClient {
    /// Reads a resource.
    public func get<Value: Decodable & Sendable>(
        _ path: String, query: [String: String] = [:], returning type: Value.Type = Value.self,
        options: CallOptions = CallOptions()
    ) async throws -> Value {
        try decode(try await answer(.get, path, query, nil, options))
    }

    /// Sends a value, such as with PUT or PATCH, and returns the value in the answer.
    public func send<Body: Encodable & Sendable, Value: Decodable & Sendable>(
        _ method: HTTPMethod, _ path: String, body: Body, query: [String: String] = [:],
        returning type: Value.Type = Value.self, options: CallOptions = CallOptions()
    ) async throws -> Value {
        try decode(
            try await answer(method, path, query, try JSONBody.encode(body), options))
    }

    /// Sends a value; the body of the answer is ignored.
    public func send<Body: Encodable & Sendable>(
        _ method: HTTPMethod, _ path: String, body: Body, query: [String: String] = [:],
        options: CallOptions = CallOptions()
    ) async throws {
        _ = try await answer(method, path, query, try JSONBody.encode(body), options)
    }

    /// Deletes a resource; the body of the answer is ignored.
    public func delete(
        _ path: String, query: [String: String] = [:], options: CallOptions = CallOptions()
    ) async throws {
        _ = try await answer(.delete, path, query, nil, options)
    }

    /// Reads the headers of a resource, without its body.
    public func head(
        _ path: String, query: [String: String] = [:], options: CallOptions = CallOptions()
    ) async throws -> Metadata {
        try await answer(.head, path, query, nil, options).headers
    }

    /// Starts a request without a body, with any HTTP method. Calls `completion` once with the result, in
    /// `context`; by default on the channel's queue. For code that does not use `await`.
    ///
    /// - Returns: The running request. Nil when the request cannot be made: `completion` is then called with
    ///   the error, by default before the function returns.
    @discardableResult
    public func start<Value: Decodable & Sendable>(
        _ method: HTTPMethod, _ path: String, query: [String: String] = [:],
        returning type: Value.Type = Value.self, options: CallOptions = CallOptions(),
        context: SerialContext = .inline,
        completion: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) -> RunningCall? {
        start(method, path, query, nil, options, context, completion)
    }

    /// Starts a request with a JSON body. Otherwise the same as the function without a body.
    @discardableResult
    public func start<Body: Encodable & Sendable, Value: Decodable & Sendable>(
        _ method: HTTPMethod, _ path: String, body: Body, query: [String: String] = [:],
        returning type: Value.Type = Value.self, options: CallOptions = CallOptions(),
        context: SerialContext = .inline,
        completion: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) -> RunningCall? {
        do {
            return start(
                method, path, query, try JSONBody.encode(body), options, context, completion)
        } catch {
            context { completion(.failure(error)) }
            return nil
        }
    }
}

// MARK: - Requests

extension RESTClient {
    private func answer(
        _ method: HTTPMethod, _ path: String, _ query: [String: String], _ body: [UInt8]?,
        _ options: CallOptions
    ) async throws -> HTTPAnswer {
        let answer = try await channel.request(
            method, base.appending(path, query: query).text,
            contentType: body.map { _ in "application/json" },
            accept: "application/json", body: body ?? [],
            options: options.merged(over: self.options))
        return try check(answer)
    }

    private func start<Value: Decodable & Sendable>(
        _ method: HTTPMethod, _ path: String, _ query: [String: String], _ body: [UInt8]?,
        _ options: CallOptions, _ context: SerialContext,
        _ completion: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) -> RunningCall? {
        do {
            return try channel.startRequest(
                method, base.appending(path, query: query).text,
                contentType: body.map { _ in "application/json" }, accept: "application/json",
                body: body ?? [], options: options.merged(over: self.options),
                context: context
            ) { answer in
                completion(Result { try decode(try check(try answer.get())) })
            }
        } catch {
            context { completion(.failure(error)) }
            return nil
        }
    }

    private func check(_ answer: HTTPAnswer) throws(RPCError) -> HTTPAnswer {
        guard (200..<300).contains(answer.status) else { throw .notSuccessful(answer) }
        return answer
    }

    private func decode<Value: Decodable>(_ answer: HTTPAnswer) throws -> Value {
        try JSONBody.reading(answer.body) { try JSONBody.decode(answer.body) }
    }
}
