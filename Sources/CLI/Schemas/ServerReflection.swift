import Swiftlet
import SwiftletDynamic
import SwiftletLoopback

/// Fetches schemas through the reflection service of a server: version 1, or v1alpha.
struct ServerReflection {
    let channel: Channel
    /// The server, for error texts.
    let target: String

    /// The names of all services.
    func serviceNames() async throws -> [String] {
        try await naming { try await ReflectionClient(channel: channel).services() }
    }

    /// The files that declare `symbols`, and all files that they import.
    func schema(declaring symbols: [String]) async throws -> Schema {
        try await schema(SchemaFetch(symbols: symbols))
    }

    /// The files of all services.
    private func schemaOfAllServices() async throws -> Schema {
        try await schema(.allServices())
    }

    /// The files of all services that the server describes, and the names of the services that it does not.
    func schemaOfDescribedServices() async throws -> (schema: Schema, missing: [String]) {
        do {
            return (try await schemaOfAllServices(), [])
        } catch is SchemaError {
            // If one service has no description, the whole fetch fails.
            var files: [Google.Protobuf.FileDescriptorProto] = []
            var missing: [String] = []
            for name in try await serviceNames() {
                do {
                    let described = try await schema(declaring: [name])
                    files += described.files.map(\.descriptor)
                } catch is SchemaError {
                    missing.append(name)
                }
            }
            return (try Schema(files), missing)
        }
    }

    /// The files of all services that the server describes. Prints the names of the other services to the
    /// standard error.
    func schemaNamingMissingServices() async throws -> Schema {
        let (schema, missing) = try await schemaOfDescribedServices()
        for name in missing {
            printToStandardError("swiftlet: the server does not describe \(name)")
        }
        return schema
    }

    private func schema(_ fetch: SchemaFetch) async throws -> Schema {
        var fetch = fetch
        return try await naming {
            while true {
                do {
                    try await run(&fetch)
                    return try fetch.schema()
                } catch let error as RPCError where error.code == .unimplemented {
                    guard fetch.fallBack() else { throw error }
                }
            }
        }
    }

    private func run(_ fetch: inout SchemaFetch) async throws {
        let method = try Method<SchemaFetch.Request, SchemaFetch.Response>(
            path: fetch.path, .bidirectional)
        let call = try await channel.bidirectional(method)
        defer { call.cancel() }
        var answers = call.responses.makeAsyncIterator()
        while let request = fetch.next() {
            try await call.requests.write(request)
            guard let answer = try await answers.next() else {
                throw RPCError(.internal, "the reflection service ended without an answer")
            }
            try fetch.receive(answer)
        }
        call.requests.finish()
        // Reads until the status, which may be an error.
        while try await answers.next() != nil {}
    }

    /// Runs `body`. If the server has no reflection, throws an error that reports this.
    private func naming<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch var error as RPCError where error.code == .unimplemented {
            error.message = "the server at \(target) does not offer reflection"
            throw error
        }
    }
}
