import SwiftletCore

/// One request of a protocol, ready to be sent, and the reading of its answer.
struct RPCRequest<Kind: RPCProtocol>: Sendable {
    let path: String
    let body: [UInt8]
    private let kind: Kind
    /// Nil for a request that a guard compares as it is.
    private let identity: RequestIdentity?

    init<Parameters: Encodable & Sendable>(
        _ kind: Kind, _ method: String, _ parameters: Parameters, _ ticket: RPCTicket,
        url: String?
    ) throws {
        self.kind = kind
        path = url ?? kind.path(of: method)
        body = try kind.box(method, parameters, ticket)
        identity = RequestIdentity(id: ticket.id) {
            // A body that cannot be made has failed the call above.
            try? kind.duplicateKey(method, parameters)
        }
    }

    /// A request whose body was made elsewhere.
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

    /// The ID that the answer carries: that of the request which a guard has joined.
    private var ticket: RPCTicket? { identity.map { RPCTicket(id: $0.id) } }

    /// The body of an answer; throws unless its status is 2xx.
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
