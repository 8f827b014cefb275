import SwiftletCore

/// An encoded request of an ``RPCProtocol``. Also decodes the response to it.
struct RPCRequest<Kind: RPCProtocol>: Sendable {
    let path: String
    let body: [UInt8]
    private let kind: Kind
    /// The ID of the request, and the key by which a `DuplicateGuard` compares it. Nil if the body was
    /// encoded elsewhere. The whole body is then compared.
    private let identity: RequestIdentity?

    init<Parameters: Encodable & Sendable>(
        _ kind: Kind, _ method: String, _ parameters: Parameters, _ ticket: RPCTicket,
        url: String?
    ) throws {
        self.kind = kind
        path = url ?? kind.path(of: method)
        body = try kind.box(method: method, parameters: parameters, ticket: ticket)
        identity = RequestIdentity(id: kind.id(of: ticket)) {
            // `box` has thrown for parameters that cannot be encoded. If only the key fails, the
            // whole body is compared.
            try? kind.duplicateKey(method: method, parameters: parameters)
        }
    }

    /// Makes a request whose body is already encoded.
    init(_ kind: Kind, path: String, body: [UInt8]) {
        self.kind = kind
        self.path = path
        self.body = body
        identity = nil
    }

    var exchange: PlainExchange {
        PlainExchange(
            kind.httpMethod, contentType: kind.contentType, accept: kind.accept,
            identity: identity)
    }

    /// The ID that the answer contains. If a `DuplicateGuard` has joined this request to an earlier one, this
    /// is the ID of the earlier request.
    private var ticket: RPCTicket? { identity.map { RPCTicket(id: $0.id) } }

    /// The body of an answer. Throws unless the status of the answer is 2xx.
    func body(of answer: HTTPAnswer) throws -> [UInt8] {
        guard (200..<300).contains(answer.status) else {
            throw kind.failure(in: answer.body, ticket) ?? RPCError.notSuccessful(answer)
        }
        return answer.body
    }

    /// The result in the body of an answer.
    func value<Value: Decodable>(of body: [UInt8]) throws -> Value {
        try JSONBody.reading(body) { try kind.unbox(body, ticket ?? RPCTicket(id: "")) }
    }
}
