public import SwiftletCore

extension RPCClient where Kind == JSONRPC {
    /// Sends several calls and notifications in one request, and returns the answers. The server may send
    /// them in any order, and may omit some. A batch without requests is not sent.
    ///
    /// ```swift
    /// var batch = JSONRPCBatch()
    /// let sum = batch.add("sum", [1, 2], returning: Int.self)
    /// let name = batch.add("name", NoParameters(), returning: String.self)
    /// let answers = try await client.send(batch)
    /// print(try answers[sum], try answers[name])
    /// ```
    public func send(
        _ batch: JSONRPCBatch, options: CallOptions = CallOptions()
    ) async throws -> JSONRPCBatch.Answers {
        guard !batch.requests.isEmpty else { return JSONRPCBatch.Answers(bodies: [:]) }
        let requests = try batch.requests.map { try $0(kind.inBatch) }
        let list = requests.joined(separator: [UInt8(ascii: ",")])
        let request = RPCRequest(
            kind, path: kind.path(of: ""),
            body: [UInt8(ascii: "[")] + list + [UInt8(ascii: "]")])
        let body = try await send(request, options)
        // A batch of notifications has no answer.
        guard !body.isEmpty else { return JSONRPCBatch.Answers(bodies: [:]) }
        return try JSONBody.reading(body) {
            let ids: [JSONRPC.AnswerID]
            do {
                ids = try JSONBody.decode(body)
            } catch is DecodingError {
                // If the server refuses the whole batch, it answers with one object.
                let refusal: JSONRPC.Answer<JSONValue> = try JSONBody.decode(body)
                throw try refusal.error?.reading(isLenient: kind.isLenient)
                    ?? RPCError(.internal, "the answer to a batch is not an array") as any Error
            }
            var answers = JSONRPCBatch.Answers(bodies: [:], isLenient: kind.isLenient)
            // If an answer is not valid, only its call fails.
            for (answer, bytes) in zip(ids, JSONBody.elements(of: body)) {
                if let id = answer.id {
                    answers.bodies[Array(id.utf8)] = bytes
                } else {
                    answers.unidentified = answers.unidentified ?? bytes
                }
            }
            return answers
        }
    }
}

/// Several calls in one request.
public struct JSONRPCBatch: Sendable {
    /// Identifies one call of a batch.
    public struct Ticket<Value: Decodable & Sendable>: Sendable {
        fileprivate let ticket: RPCTicket
    }

    fileprivate var requests: [@Sendable (JSONRPC) throws -> [UInt8]] = []

    public init() {}

    public var count: Int { requests.count }

    /// Adds a call.
    ///
    /// - Parameters:
    ///   - method: The name of the method.
    ///   - parameters: A value that encodes to an array or an object, or `NoParameters`.
    ///   - type: The type of the result.
    ///   - ticket: The ID of the request; random by default.
    public mutating func add<Parameters: Encodable & Sendable, Value: Decodable & Sendable>(
        _ method: String, _ parameters: Parameters, returning type: Value.Type,
        ticket: RPCTicket = RPCTicket()
    ) -> Ticket<Value> {
        requests.append { kind in try kind.body(method, parameters, ticket) }
        return Ticket(ticket: ticket)
    }

    /// Adds a notification, which has no answer.
    public mutating func notify<Parameters: Encodable & Sendable>(
        _ method: String, _ parameters: Parameters
    ) {
        requests.append { kind in try kind.body(method, parameters, nil) }
    }

    /// The answers to a batch.
    public struct Answers: Sendable {
        /// By the bytes of their IDs, which the server chooses.
        fileprivate var bodies: [[UInt8]: [UInt8]]
        fileprivate var isLenient = false
        /// The first answer without an ID: an error of a request that the server could not read.
        fileprivate var unidentified: [UInt8]?

        public var count: Int { bodies.count }

        /// The result of a call. Throws the error of the call. If the server did not answer the call, throws the
        /// error that it answered without an ID, which means a request that it could not read, and otherwise
        /// an `RPCError`.
        public subscript<Value>(ticket: Ticket<Value>) -> Value {
            get throws {
                guard let body = bodies[Array(ticket.ticket.id.utf8)] else {
                    if let unidentified, let error = error(in: unidentified) { throw error }
                    throw RPCError(
                        .internal,
                        "the server did not answer request '\(ticket.ticket.id)' of the batch")
                }
                return try JSONBody.reading(body) {
                    let answer: JSONRPC.Answer<Value> = try JSONBody.decode(body)
                    return try answer.value(for: ticket.ticket.id, isLenient: isLenient)
                }
            }
        }

        private func error(in body: [UInt8]) -> JSONRPCError? {
            let answer: JSONRPC.Answer<JSONValue>? = try? JSONBody.decode(body)
            return try? answer?.error?.reading(isLenient: isLenient)
        }
    }
}
