public import SwiftletCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A protocol of procedure calls over HTTP: the path of a request, the encoding of its parameters, and
/// the decoding of an answer into a result or an error.
///
/// ``JSONRPC`` is included. A program can add its own:
///
/// ```swift
/// struct Envelope: RPCProtocol {
///     struct Answer<Value: Decodable>: Decodable { var ok: Bool; var value: Value? }
///
///     func path(of method: String) -> String { "/api/\(method)" }
///     func box<Parameters: Encodable>(
///         method: String, parameters: Parameters, ticket: RPCTicket
///     ) throws -> [UInt8] { try JSONBody.encode(["wrapped": parameters]) }
///     func unbox<Value: Decodable>(_ body: [UInt8], _ ticket: RPCTicket) throws -> Value {
///         let answer: Answer<Value> = try JSONBody.decode(body)
///         guard answer.ok, let value = answer.value else { throw Refused() }
///         return value
///     }
/// }
/// ```
public protocol RPCProtocol: Sendable {
    /// The path and query of the requests for a method, or a full `http` or `https` URL. The URL may name
    /// another server.
    func path(of method: String) -> String

    /// The HTTP method of requests; POST by default.
    var httpMethod: HTTPMethod { get }

    /// The content type of request bodies; `application/json` by default.
    var contentType: String { get }

    /// The content type that answers may have; `application/json` by default.
    var accept: String { get }

    /// Encodes the body of a request, such as with ``JSONBody/encode(_:)``. An ID in the body has to be that of
    /// the ticket.
    ///
    /// There is no default: a function with another label would silently not be the one that is called.
    func box<Parameters: Encodable>(
        method: String, parameters: Parameters, ticket: RPCTicket
    ) throws -> [UInt8]

    /// The bytes by which a `DuplicateGuard` compares requests with the same path. They must not contain
    /// anything that differs from call to call, such as a random ID. Nil compares the whole body.
    ///
    /// By default, this is the body that ``box(method:parameters:ticket:)`` makes for a ticket without an ID,
    /// with the keys of JSON objects in order. A protocol needs its own key only if its bodies contain something
    /// else that differs from call to call, such as the time.
    func duplicateKey<Parameters: Encodable>(
        method: String, parameters: Parameters
    ) throws -> [UInt8]?

    /// The ID in the body of a request, as text. By default, it is the ID of the ticket.
    func id(of ticket: RPCTicket) -> String

    /// Decodes the result from the body of an answer, such as with ``JSONBody/decode(_:)``, or throws the error
    /// in the body. `ticket` contains the ID of the request that was sent. If a `DuplicateGuard`
    /// has joined two requests, that is the ID of the first.
    func unbox<Value: Decodable>(_ body: [UInt8], _ ticket: RPCTicket) throws -> Value

    /// The error in the body of an answer whose HTTP status is not 2xx. Nil, the default, reports the
    /// status itself. `ticket` contains the ID of the request that was sent; it is nil if the request has no
    /// ID of its own.
    func failure(in body: [UInt8], _ ticket: RPCTicket?) -> (any Error)?
}

extension RPCProtocol {
    public var httpMethod: HTTPMethod { .post }

    public var contentType: String { "application/json" }

    public var accept: String { "application/json" }

    public func duplicateKey<Parameters: Encodable>(
        method: String, parameters: Parameters
    ) throws -> [UInt8]? {
        JSONKeyOrder.sorted(
            try box(method: method, parameters: parameters, ticket: RPCTicket(id: "")))
    }

    public func id(of ticket: RPCTicket) -> String { ticket.id }

    public func failure(in body: [UInt8], _ ticket: RPCTicket?) -> (any Error)? { nil }
}

/// The ID of a request. It identifies the answer.
public struct RPCTicket: Hashable, Sendable {
    public let id: String

    /// A random UUID in lower case.
    public init() { id = UUID().uuidString.lowercased() }

    public init(id: String) { self.id = id }
}
