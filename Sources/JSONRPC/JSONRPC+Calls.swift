public import SwiftletCore
public import SwiftletStyles

extension RPCClient where Kind == JSONRPC {
    /// Makes a call with `additionalFields` in the request, and waits for the result. These fields
    /// are added to the fields of the protocol, and replace fields of the same name. See
    /// ``call(_:_:returning:at:options:)`` for the other parameters.
    public func call<Parameters: Encodable & Sendable, Value: Decodable & Sendable>(
        _ method: String, _ parameters: Parameters, returning type: Value.Type = Value.self,
        at url: String? = nil, additionalFields: [String: JSONValue],
        options: CallOptions = CallOptions()
    ) async throws -> Value {
        try await with(kind.adding(additionalFields)).call(
            method, parameters, at: url, options: options)
    }

    /// Starts a call with `additionalFields` in the request. See
    /// ``start(_:_:returning:at:options:context:completion:)`` for the other parameters.
    @discardableResult
    public func start<Parameters: Encodable & Sendable, Value: Decodable & Sendable>(
        _ method: String, _ parameters: Parameters, returning type: Value.Type = Value.self,
        at url: String? = nil, additionalFields: [String: JSONValue],
        options: CallOptions = CallOptions(), context: SerialContext = .inline,
        completion: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) -> RunningCall? {
        with(kind.adding(additionalFields)).start(
            method, parameters, at: url, options: options, context: context,
            completion: completion)
    }

    /// Sends a notification, which has no answer. Returns when the server has accepted the request.
    /// Throws an `RPCError` if the server has not accepted it.
    public func notify<Parameters: Encodable & Sendable>(
        _ method: String, _ parameters: Parameters, at url: String? = nil,
        options: CallOptions = CallOptions()
    ) async throws {
        let request = RPCRequest(
            kind, path: url ?? kind.path(of: method), body: try kind.body(method, parameters, nil))
        _ = try await send(request, options)
    }
}
