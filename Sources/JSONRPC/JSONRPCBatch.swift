import SwiftletCore

extension RPCClient where Kind == JSONRPC {
    /// Sends what nobody answers. Returns when the server has taken it.
    public func notify<Parameters: Encodable & Sendable>(
        _ method: String, _ parameters: Parameters
    ) async throws {
        _ = try await post(kind.path(of: method), try kind.body(method, parameters, nil))
    }

    /// Sends several calls and notifications in one request. Their answers may come in any order,
    /// or not at all; each is read from the batch's answers by what adding it gave.
    ///
    /// ```swift
    /// var batch = JSONRPCBatch()
    /// let sum = batch.add("sum", [1, 2], returning: Int.self)
    /// let name = batch.add("name", NoParameters(), returning: String.self)
    /// let answers = try await client.send(batch)
    /// print(try answers[sum], try answers[name])
    /// ```
    public func send(_ batch: JSONRPCBatch) async throws -> JSONRPCBatch.Answers {
        guard !batch.requests.isEmpty else { return JSONRPCBatch.Answers(bodies: [:]) }
        let requests = try batch.requests.map { try $0(kind) }
        let list = requests.joined(separator: [UInt8(ascii: ",")])
        let body = try await post(
            kind.path(of: ""), [UInt8(ascii: "[")] + list + [UInt8(ascii: "]")])
        // To notifications alone nothing is answered.
        guard !body.isEmpty else { return JSONRPCBatch.Answers(bodies: [:]) }
        return try Self.reading(body) {
            let names: [JSONRPC.AnswerName]
            do {
                names = try JSONBody.decode(body)
            } catch is DecodingError {
                // A batch that is refused as a whole is answered by one object.
                let refusal: JSONRPC.Answer<JSONValue> = try JSONBody.decode(body)
                throw refusal.error
                    ?? RPCError(.internal, "the answer to a batch is not a list") as any Error
            }
            var bodies: [String: [UInt8]] = [:]
            // An answer that is not in order is so for who asks for it, and for nobody else.
            for (name, octets) in zip(names, JSONBody.elements(of: body)) {
                if let id = name.id { bodies[id] = octets }
            }
            return JSONRPCBatch.Answers(bodies: bodies)
        }
    }
}

/// Several calls in one request.
public struct JSONRPCBatch: Sendable {
    /// Names the answer to one of them.
    public struct Ticket<Value: Decodable & Sendable>: Sendable {
        fileprivate let ticket: RPCTicket
    }

    fileprivate var requests: [@Sendable (JSONRPC) throws -> [UInt8]] = []

    public init() {}

    public var count: Int { requests.count }

    /// Adds a call.
    ///
    /// - Parameters:
    ///   - method: Its name.
    ///   - parameters: A list, or what has names.
    ///   - type: What is answered.
    ///   - ticket: Tells it from the others of the batch; one by chance, unless a test or a server
    ///     wants another.
    public mutating func add<Parameters: Encodable & Sendable, Value: Decodable & Sendable>(
        _ method: String, _ parameters: Parameters, returning type: Value.Type,
        ticket: RPCTicket = RPCTicket()
    ) -> Ticket<Value> {
        requests.append { kind in try kind.body(method, parameters, ticket) }
        return Ticket(ticket: ticket)
    }

    /// Adds a notification, which nobody answers.
    public mutating func notify<Parameters: Encodable & Sendable>(
        _ method: String, _ parameters: Parameters
    ) {
        requests.append { kind in try kind.body(method, parameters, nil) }
    }

    /// What was answered.
    public struct Answers: Sendable {
        fileprivate let bodies: [String: [UInt8]]

        public var count: Int { bodies.count }

        /// The result of a call, or its error, thrown. A call that was not answered throws an
        /// `RPCError` that says so.
        public subscript<Value>(ticket: Ticket<Value>) -> Value {
            get throws {
                guard let body = bodies[ticket.ticket.id] else {
                    throw RPCError(
                        .internal, "the batch has no answer for '\(ticket.ticket.id)'")
                }
                return try RPCClient<JSONRPC>.reading(body) {
                    let answer: JSONRPC.Answer<Value> = try JSONBody.decode(body)
                    return try answer.value(for: ticket.ticket)
                }
            }
        }
    }
}
