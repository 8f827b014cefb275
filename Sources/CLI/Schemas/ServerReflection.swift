import Swiftlet
import SwiftletDynamic
import SwiftletLoopback

/// Fetches schemas through the reflection service of a server: version 1, or v1alpha.
struct ServerReflection {
    let channel: Channel
    /// The server, for error texts.
    let target: String
    /// The limits of all fetches of one schema together.
    var limits = SchemaFetch.Limits()

    /// The names of all services.
    func serviceNames() async throws -> [String] {
        do {
            return try await ReflectionClient(channel: channel).services()
        } catch {
            throw named(error)
        }
    }

    /// The files that declare `symbols`, and all files that they import.
    func schema(declaring symbols: [String]) async throws -> Schema {
        var fetch = SchemaFetch(symbols: symbols, limits: limits)
        return try await schema(&fetch)
    }

    /// The files that declare a symbol, and all files that they import. Not every server finds methods and fields:
    /// if this one does not, the declaration around the symbol is looked up.
    func schema(declaring symbol: String) async throws -> Schema {
        do {
            return try await schema(declaring: [symbol])
        } catch let error as SchemaError {
            guard let dot = symbol.lastIndex(of: "."),
                let schema = try? await schema(declaring: [String(symbol[..<dot])])
            else { throw error }
            return schema
        }
    }

    /// The files of all services that the server describes, and the names of the services that it does not.
    func schemaOfDescribedServices() async throws -> (schema: Schema, missing: [String]) {
        var limits = limits
        var fetch = SchemaFetch.allServices(limits: limits)
        do {
            return (try await schema(&fetch), [])
        } catch let error as SchemaError {
            // If one service has no description, the whole fetch fails.
            guard !fetch.serviceNames.isEmpty else { throw error }
            var files: [Google.Protobuf.FileDescriptorProto] = []
            var known: Set<String> = []
            var missing: [String] = []
            for name in fetch.serviceNames {
                limits.maxRequestCount -= fetch.requestCount
                guard limits.maxRequestCount > 0, limits.maxByteCount > 0,
                    limits.maxMemoryByteCount > 0
                else {
                    throw LookupError(
                        description: "the services of the server at \(target) lead to more than "
                            + "\(self.limits.maxRequestCount) requests, "
                            + "\(self.limits.maxByteCount) bytes or "
                            + "\(self.limits.maxMemoryByteCount) bytes of memory; name a service")
                }
                fetch = SchemaFetch(symbols: [name], limits: limits)
                do {
                    for file in try await schema(&fetch).files
                    where known.insert(file.name).inserted {
                        files.append(file.descriptor)
                        let bytes = file.descriptor.encoded()
                        limits.maxByteCount -= bytes.count
                        limits.maxMemoryByteCount -= try Google.Protobuf.FileDescriptorProto
                            .listByteCount(of: bytes)
                    }
                } catch is SchemaError {
                    missing.append(name)
                }
            }
            return (try Schema(files), missing)
        }
    }

    /// The files of all services that the server describes. Prints the names of the other services to the
    /// standard error, unless the files of the command line have them.
    func schemaNamingMissingServices(besides files: Schema?) async throws -> Schema {
        let (schema, missing) = try await schemaOfDescribedServices()
        for name in missing where files?.service(name) == nil {
            printToStandardError("swiftlet: the server does not describe \(name)")
        }
        return schema
    }

    private func schema(_ fetch: inout SchemaFetch) async throws -> Schema {
        while true {
            do {
                try await run(&fetch)
                return try fetch.schema()
            } catch let error as RPCError where error.code == .unimplemented {
                guard fetch.fallBack() else { throw named(error) }
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

    /// The error, with a text that says that the server has no reflection if that is the reason.
    private func named(_ error: RPCError) -> RPCError {
        guard error.code == .unimplemented else { return error }
        var error = error
        error.message = "the server at \(target) does not offer reflection"
        return error
    }
}
