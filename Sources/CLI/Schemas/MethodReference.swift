import Swiftlet
import SwiftletDynamic

/// The method of a command line, written `package.Service/Method` or `package.Service.Method`.
struct MethodReference: CustomStringConvertible {
    private let service: String
    private let method: String

    /// The method as `package.Service/Method`.
    var description: String { "\(service)/\(method)" }

    init(_ text: String) throws {
        let bare = text.hasPrefix("/") ? text.dropFirst() : text[...]
        guard let end = bare.lastIndex(of: "/") ?? bare.lastIndex(of: "."), end > bare.startIndex,
            bare.index(after: end) < bare.endIndex
        else {
            throw UsageError(
                message: "not a method: '\(text)' (expected package.Service/Method)")
        }
        service = String(bare[..<end])
        method = String(bare[bare.index(after: end)...])
    }

    /// The method in the schema of a source. An `Any` in its messages may contain the types of
    /// ``Schema/withContentsOfAny()``. If the method does not exist, throws an error that suggests the nearest
    /// service or method.
    func find(in source: SchemaSource) async throws -> MethodSchema {
        do {
            return try find(in: try await source.schema(declaring: service).readingAny())
        } catch let error as SchemaError {
            let names = try await source.serviceNames()
            guard !names.contains(service) else { throw error }
            throw noService(among: names)
        }
    }

    /// The method in a schema. Throws an error that names the nearest service or method if there is none.
    func find(in schema: Schema) throws -> MethodSchema {
        guard let found = schema.service(service) else {
            throw noService(among: schema.services.map(\.fullName))
        }
        guard let method = found.method(method) else {
            let names = found.methods.map(\.name)
            throw LookupError(
                description: "\(service) has no method '\(method)'"
                    + NearestMatch.hint(for: method, among: names))
        }
        return method
    }

    private func noService(among names: [String]) -> LookupError {
        LookupError(
            description: "there is no service '\(service)'"
                + NearestMatch.hint(for: service, among: names))
    }
}

/// The error for a name that is not declared or has the wrong kind, or for a `$` in the interactive mode that
/// refers to nothing.
struct LookupError: Error, CustomStringConvertible {
    var description: String
}

extension MethodSchema {
    var shape: CallShape {
        switch (streamsRequests, streamsResponses) {
        case (false, false): .unary
        case (true, false): .clientStreaming
        case (false, true): .serverStreaming
        case (true, true): .bidirectional
        }
    }

    /// The method with message types that are known at run time.
    func dynamic() throws -> Method<DynamicMessage, DynamicMessage> {
        try Method(
            path: path, shape, request: .dynamic(input), reply: .dynamic(output))
    }
}

extension Codec<DynamicMessage> {
    static func dynamic(_ schema: MessageSchema) -> Codec {
        Codec(
            encode: { message, prefixByteCount in
                [UInt8](repeating: 0, count: prefixByteCount) + (try message.encoded())
            },
            decode: { bytes in try DynamicMessage(decoding: bytes, as: schema) })
    }
}
