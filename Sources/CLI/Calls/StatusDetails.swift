import Swiftlet
import SwiftletDynamic
import SwiftletLoopback

/// Prints the messages that a server sends with an error (`grpc-status-details-bin`).
struct StatusDetails {
    /// The schema in which the types of messages are looked up first.
    let schema: Schema
    /// The reflection by which types are looked up that the schema does not have; nil when the schema comes
    /// from a file.
    let reflection: ServerReflection?

    private static let anyName = "google.protobuf.Any"
    /// The most types that are looked up for one status: each may cost a whole exchange with the server.
    private static let maxLookUpCount = 16

    /// What was looked up, by the bytes of the names: a name of the server can be costly to compare.
    private typealias LookUps = [[UInt8]: Result<Schema, any Error>]

    /// The details as JSON, one below the other; empty when the error has none.
    func text(of error: RPCError) async -> String {
        guard !error.details.isEmpty else { return "" }
        do {
            guard let status = try error.richStatus() else { return "" }
            var texts: [String] = []
            var lookUps: LookUps = [:]
            for detail in status.details { texts.append(await text(of: detail, &lookUps)) }
            return texts.joined(separator: "\n")
        } catch {
            return "the details of the status are not a google.rpc.Status: \(error)"
        }
    }

    private func text(
        of detail: Google.Protobuf.AnyMessage, _ lookUps: inout LookUps
    ) async -> String {
        let name = String(detail.containedName)
        do {
            let any = try await schema(with: name, &lookUps).requiredMessage(Self.anyName)
            return try DynamicMessage(decoding: detail.encoded(), as: any)
                .json(options: JSONWritingOptions(isIndented: true))
        } catch {
            return """
                {
                  "@type": \(JSONText.quoted(detail.typeURL)),
                  "value": "\(Base64.encode(detail.value))"
                }
                the detail is not shown by its fields: \(error)
                """
        }
    }

    /// A schema that has the type and google.protobuf.Any.
    private func schema(with name: String, _ lookUps: inout LookUps) async throws -> Schema {
        if schema.message(name) != nil { return try schema.withContentsOfAny() }
        let standard = try Schema([]).withContentsOfAny()
        if standard.message(name) != nil { return standard }
        guard let reflection else {
            throw LookupError(description: "the schema has no message '\(name)'")
        }
        let key = Array(name.utf8)
        if let known = lookUps[key] { return try known.get() }
        guard lookUps.count < Self.maxLookUpCount else {
            throw LookupError(
                description: "\(Self.maxLookUpCount) types of details were looked up before")
        }
        let found: Result<Schema, any Error>
        do {
            found = .success(try await reflection.schema(declaring: [name]).withContentsOfAny())
        } catch {
            found = .failure(error)
        }
        lookUps[key] = found
        return try found.get()
    }
}

/// A failed call, with the printable details of its status.
struct DetailedFailure: Error {
    var error: RPCError
    var details: String
}
