public import SwiftletCore
public import SwiftletStyles

/// Makes calls of an ``RPCProtocol`` over a channel, with its connections, TLS, deadlines, cancellation
/// and interceptors.
///
/// ```swift
/// let client = try RPCClient(url: "https://example.com/rpc") { JSONRPC(path: $0) }
/// let sum: Int = try await client.call("sum", [1, 2, 3])
/// ```
///
/// A call whose URL names another server uses the channel that ``hosts`` has for that server. The
/// client's ``options`` and their interceptors apply to that call, without those that send credentials:
/// see ``sendsCredentialsToOtherServers``. The interceptors of ``channel`` do not apply.
public struct RPCClient<Kind: RPCProtocol>: Sendable {
    public let channel: Channel
    public let kind: Kind
    public var options: CallOptions
    /// Provides the channels of calls to a URL of another server; `HostCache.shared` by default.
    public var hosts = HostCache.shared
    /// Whether the credentials in ``options`` are also sent to other servers than the client's own, which a
    /// call can name with its URL; false by default.
    ///
    /// If false, such a call has none of the credentials, the authority and the secret headers of ``options``, and
    /// no `refreshing` or `headers` interceptor that sends them. Headers are secret if their name is
    /// `authorization`, `cookie` or `x-api-key`, contains `token`, `secret` or `password`, or ends in `-bin`. The
    /// options of the call itself are sent. An interceptor of the program's own decides for itself.
    public var sendsCredentialsToOtherServers = false
    /// The URL of the client's own server; nil if it was made with a channel, or with a host without a URL.
    private var ownAddress: WebAddress?
    private let makeTicket: @Sendable () -> RPCTicket

    /// - Parameters:
    ///   - channel: The channel that calls use.
    ///   - kind: The protocol.
    ///   - options: The options of every call; none by default.
    ///   - makeTicket: Makes the ID of a request; random by default.
    public init(
        channel: Channel, _ kind: Kind, _ options: CallOptions = CallOptions(),
        makeTicket: @escaping @Sendable () -> RPCTicket = { RPCTicket() }
    ) {
        self.channel = channel
        self.kind = kind
        self.options = options
        self.makeTicket = makeTicket
    }

    /// A client for the server of a URL. It uses the channel that `hosts` keeps for all clients of this
    /// server. Throws INVALID_ARGUMENT when the text is not a URL of HTTP.
    ///
    /// - Parameters:
    ///   - url: The URL, such as `https://example.com/rpc`.
    ///   - options: The options of every call; none by default.
    ///   - hosts: Provides the channels; `HostCache.shared` by default.
    ///   - makeKind: Makes the protocol for the path and query of the URL.
    public init(
        url: String, _ options: CallOptions = CallOptions(), hosts: HostCache = .shared,
        _ makeKind: (_ path: String) -> Kind
    ) throws(RPCError) {
        let address = try WebAddress(url)
        self.init(
            channel: try hosts.host(at: address.origin).channel(), makeKind(address.path),
            options)
        self.hosts = hosts
        ownAddress = address
    }

    /// A client for a host whose address is a base URL. It uses the channel of the host.
    ///
    /// ```swift
    /// let client = try RPCClient(host: .at("https://example.com/rpc")) { JSONRPC(path: $0) }
    /// ```
    ///
    /// - Parameters:
    ///   - host: The host.
    ///   - options: The options of every call; none by default.
    ///   - makeKind: Makes the protocol for the path of the host; `/` for a host without a path.
    public init(
        host: Host, _ options: CallOptions = CallOptions(), _ makeKind: (_ path: String) -> Kind
    ) throws(RPCError) {
        self.init(
            channel: try host.channel(), makeKind(host.path.isEmpty ? "/" : host.path), options)
        ownAddress = try? WebAddress(host.address)
    }
}

extension RPCClient {
    /// Makes a call and waits for its result. Throws the error that the protocol finds in the
    /// response, or an `RPCError` when the call fails or the response is not valid. Options that
    /// the call does not set are those of ``options``.
    ///
    /// - Parameters:
    ///   - method: The name of the method.
    ///   - parameters: The parameters.
    ///   - type: The type of the result.
    ///   - url: The URL or path of this call; nil, the default, uses the path or URL of the protocol.
    ///   - options: The options of the call; none by default.
    public func call<Parameters: Encodable & Sendable, Value: Decodable & Sendable>(
        _ method: String, _ parameters: Parameters, returning type: Value.Type = Value.self,
        at url: String? = nil, options: CallOptions = CallOptions()
    ) async throws -> Value {
        let request = try RPCRequest(
            kind, method, parameters, makeTicket(), url: url)
        return try request.value(of: try await send(request, options))
    }

    /// Starts a call. Calls `completion` once with the result, in `context`: by default on the channel's queue,
    /// or, if the request cannot be made, on the caller's thread before this function returns. For code that
    /// does not use `await`. See ``call(_:_:returning:at:options:)`` for the parameters.
    ///
    /// ```swift
    /// client.start("sum", [1, 2, 3]) { (result: Result<Int, any Error>) in print(result) }
    /// ```
    ///
    /// - Returns: The running call; nil when the request cannot be made.
    @discardableResult
    public func start<Parameters: Encodable & Sendable, Value: Decodable & Sendable>(
        _ method: String, _ parameters: Parameters, returning type: Value.Type = Value.self,
        at url: String? = nil, options: CallOptions = CallOptions(),
        context: SerialContext = .inline,
        completion: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) -> RunningCall? {
        do {
            let request = try RPCRequest(
                kind, method, parameters, makeTicket(), url: url)
            let (channel, path, defaults) = try route(request.path)
            return try channel.startRequest(
                path, request.exchange, request.body, options.merged(over: defaults),
                context
            ) { answer in
                completion(
                    Result { try request.value(of: try request.body(of: try answer.get())) })
            }
        } catch {
            context { completion(.failure(error)) }
            return nil
        }
    }

    /// Sends a request, and returns the body of the answer. Throws unless the status of the answer is 2xx.
    func send(_ request: RPCRequest<Kind>, _ options: CallOptions) async throws -> [UInt8] {
        let (channel, path, defaults) = try route(request.path)
        let answer = try await channel.request(
            path, request.exchange, request.body, options.merged(over: defaults))
        return try request.body(of: answer)
    }

    /// The channel, the path and the default options for a path or a URL.
    private func route(_ path: String) throws(RPCError) -> (Channel, String, CallOptions) {
        guard WebAddress.isWebAddress(path) else { return (channel, path, options) }
        let address = try WebAddress(path)
        if let ownAddress, ownAddress.origin == address.origin {
            return (channel, address.path, options)
        }
        let other = try hosts.host(at: address.origin).channel()
        return (
            other, address.path,
            other === channel || sendsCredentialsToOtherServers
                ? options : options.withoutCredentials
        )
    }

    /// The same client with another protocol.
    func with(_ kind: Kind) -> RPCClient {
        var client = RPCClient(channel: channel, kind, options, makeTicket: makeTicket)
        client.hosts = hosts
        client.ownAddress = ownAddress
        client.sendsCredentialsToOtherServers = sendsCredentialsToOtherServers
        return client
    }
}

extension CallOptions {
    /// These options for a server that they were not made for: without credentials, without headers that
    /// are secret by their name, and without the interceptors of this library that send either.
    var withoutCredentials: CallOptions {
        var options = self
        for name in Set(metadata.map(\.name)) where MetadataRules.isHidden(name) {
            options.metadata.removeAll(name)
        }
        options.credentials = nil
        options.authority = nil
        options.interceptors.removeAll { $0.sendsCredentials }
        return options
    }
}

extension RPCError {
    static func notSuccessful(_ answer: HTTPAnswer) -> RPCError {
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
