#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Bodies without an envelope. Values of type `[UInt8]` and `Data` are sent and received as they are,
/// other values as JSON.
public struct PlainBodies: RPCProtocol {
    public let contentType: String
    public let accept: String
    private let prefix: String

    /// - Parameters:
    ///   - prefix: The part of the path before the name of the method; `/` by default.
    ///   - contentType: The content type of requests; `application/json` by default.
    ///   - accept: The content type that answers may have; `application/json` by default.
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
        method: String, parameters: Parameters, ticket: RPCTicket
    ) throws -> [UInt8] {
        // Compares the types, because an empty array of any type can be cast to `[UInt8]`.
        if Parameters.self == [UInt8].self, let bytes = parameters as? [UInt8] { return bytes }
        if let data = parameters as? Data { return Array(data) }
        return try JSONBody.encode(parameters)
    }

    public func unbox<Value: Decodable>(_ body: [UInt8], _ ticket: RPCTicket) throws -> Value {
        if Value.self == [UInt8].self, let bytes = body as? Value { return bytes }
        if Value.self == Data.self, let data = Data(body) as? Value { return data }
        return try JSONBody.decode(body)
    }
}
