public import SwiftletCore
public import SwiftletStyles

// Plain HTTP requests over the connections of a channel, in any version of HTTP.

/// A server's response to an HTTP request that is not a gRPC call.
public struct HTTPAnswer: Sendable {
    /// The HTTP status code; 200 is success. A response with an error status does not throw.
    public var status: Int
    /// The names are in lower case; pseudo-header fields are left out.
    public var headers: Metadata
    /// All of the body, as the server sent it: nothing is decompressed.
    public var body: [UInt8]
    /// The times of the call; nil if an interceptor answered.
    public var timeline: CallTimeline?

    public init(
        status: Int, headers: Metadata = Metadata(), body: [UInt8] = [],
        timeline: CallTimeline? = nil
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.timeline = timeline
    }
}

extension Channel {
    /// Sends an HTTP request and waits for the response. An HTTP status such as 404 does not throw.
    /// Throws INVALID_ARGUMENT when the method or the path cannot be sent, and the error of a call
    /// otherwise.
    ///
    /// Cancelling the task cancels the request. An idempotent request is sent once more when the
    /// server has closed a kept connection before it answered.
    ///
    /// ```swift
    /// let answer = try await channel.request(.get, "/users/1")
    /// ```
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path with the query, percent-encoded.
    ///   - contentType: The type of the body; nil, the default, sends none.
    ///   - accept: The type that the response may have; any by default.
    ///   - body: The body; empty by default.
    ///   - options: The options of the call. Their metadata is sent as further request headers.
    public func request(
        _ method: HTTPMethod, _ path: String, contentType: String? = nil, accept: String = "*/*",
        body: [UInt8] = [], options: CallOptions = CallOptions()
    ) async throws(RPCError) -> HTTPAnswer {
        try await request(
            path, PlainExchange(method, contentType: contentType, accept: accept), body, options)
    }

    /// Starts an HTTP request. Calls `completion` once with the response or the error, in `context`;
    /// by default on the channel's queue, which it must not block. Throws INVALID_ARGUMENT when the path
    /// cannot be sent.
    @discardableResult
    public func startRequest(
        _ method: HTTPMethod, _ path: String, contentType: String? = nil, accept: String = "*/*",
        body: [UInt8] = [], options: CallOptions = CallOptions(),
        context: SerialContext = .inline,
        completion: @escaping @Sendable (Result<HTTPAnswer, RPCError>) -> Void
    ) throws(RPCError) -> RunningCall {
        try startRequest(
            path, PlainExchange(method, contentType: contentType, accept: accept), body, options,
            context, completion)
    }

    /// Sends a POST request and waits for the response. An HTTP status such as 404 does not throw.
    ///
    /// ```swift
    /// let answer = try await channel.post("/rpc", contentType: "application/json", body: body)
    /// ```
    public func post(
        _ path: String, contentType: String, accept: String = "*/*", body: [UInt8],
        options: CallOptions = CallOptions()
    ) async throws(RPCError) -> HTTPAnswer {
        try await request(
            .post, path, contentType: contentType, accept: accept, body: body, options: options)
    }
}

extension Channel {
    package func request(
        _ path: String, _ exchange: PlainExchange, _ body: [UInt8], _ options: CallOptions
    ) async throws(RPCError) -> HTTPAnswer {
        var response = await rawUnary(
            try Self.signature(path, exchange), EncodedMessage(prefixing: body), options)
        return try HTTPAnswer(taking: &response)
    }

    package func startRequest(
        _ path: String, _ exchange: PlainExchange, _ body: [UInt8], _ options: CallOptions,
        _ context: SerialContext,
        _ completion: @escaping @Sendable (Result<HTTPAnswer, RPCError>) -> Void
    ) throws(RPCError) -> RunningCall {
        startRawUnary(
            try Self.signature(path, exchange), EncodedMessage(prefixing: body), options
        ) { response in
            let answer = Result { () throws(RPCError) in try HTTPAnswer(taking: &response) }
            context { completion(answer) }
        }
    }

    private static func signature(
        _ path: String, _ exchange: PlainExchange
    ) throws(RPCError) -> MethodSignature {
        guard MethodName.isPath(path) || path == "*" && exchange.method == .options else {
            throw .refused(
                .invalidArgument,
                "not an HTTP path: '\(path)' (expected '/' followed by printable ASCII without spaces)"
            )
        }
        return MethodSignature(path: path, shape: .unary, contentSubtype: nil, plain: exchange)
    }
}

extension HTTPAnswer {
    fileprivate init(taking response: inout RawResponse) throws(RPCError) {
        let body = try response.takeBytes(of: nil)
        self.init(
            status: response.end.httpStatus ?? 0, headers: response.initialMetadata ?? Metadata(),
            body: body, timeline: response.end.timeline)
    }
}
