import Swiftlet
import SwiftletDynamic

/// Where a command finds declarations: in files of the command line, in a server's reflection, or in both.
enum SchemaSource {
    case files(Schema)
    /// Reflection. Files, if there are any, add what the server does not describe.
    case server(ServerReflection, files: Schema?)

    /// - Parameters:
    ///   - files: The files of the command line; nil without any.
    ///   - reflection: The server's reflection. If there are files, it is used only with
    ///     `--use-reflection`.
    ///   - arguments: The options.
    init(_ files: Schema?, or reflection: ServerReflection, _ arguments: Arguments) {
        if let files, !arguments.has("--use-reflection") {
            self = .files(files)
        } else {
            self = .server(reflection, files: files)
        }
    }

    /// The reflection by which further types are looked up; nil if only files are used.
    var reflection: ServerReflection? {
        guard case .server(let reflection, _) = self else { return nil }
        return reflection
    }

    /// A schema that has a declaration. A schema of files alone may lack it.
    func schema(declaring symbol: String) async throws -> Schema {
        switch self {
        case .files(let schema): return schema
        case .server(let reflection, let files):
            guard let files else { return try await reflection.schema(declaring: symbol) }
            do {
                return try await reflection.schema(declaring: symbol).adding(files.descriptors)
            } catch {
                // A server that does not know the declaration, or that has no reflection.
                let isAbsence = error is SchemaError || (error as? RPCError)?.code == .unimplemented
                guard isAbsence, (try? SchemaSymbol(symbol, in: files)) != nil else { throw error }
                return files
            }
        }
    }

    /// A schema of all services. Prints the names of services that the server does not describe to the standard
    /// error.
    func schemaOfAllServices() async throws -> Schema {
        switch self {
        case .files(let schema): return schema
        case .server(let reflection, let files):
            do {
                return try await reflection.schemaNamingMissingServices(besides: files)
                    .adding(files?.descriptors ?? [])
            } catch let error as RPCError where error.code == .unimplemented {
                guard let files else { throw error }
                return files
            }
        }
    }

    /// The names of all services.
    func serviceNames() async throws -> [String] {
        switch self {
        case .files(let schema): return schema.services.map(\.fullName)
        case .server(let reflection, let files):
            let added = files?.services.map(\.fullName) ?? []
            do {
                let names = try await reflection.serviceNames()
                // By bytes, because a server's names can be costly to compare.
                let known = Set(names.map { Array($0.utf8) })
                return names + added.filter { !known.contains(Array($0.utf8)) }
            } catch let error as RPCError where error.code == .unimplemented && !added.isEmpty {
                return added
            }
        }
    }
}

extension Schema {
    /// The descriptors of all files.
    var descriptors: [Google.Protobuf.FileDescriptorProto] { files.map(\.descriptor) }
}

extension SchemaSource {
    /// Calls `body` with the files of the options, or else with a server and its channel, and with the word after
    /// that: the name of a declaration.
    ///
    /// - Parameter target: The server, if it is needed.
    static func withSource(
        _ arguments: Arguments, target: () throws -> String,
        _ body: (SchemaSource, String?) async throws -> Void
    ) async throws {
        let files = try SchemaOptions.localSchema(arguments)
        if let files, !SchemaOptions.useReflection(files, arguments) {
            try arguments.expectAtMost(1)
            return try await body(.files(files), arguments.words.first)
        }
        let target = try target()
        try arguments.expectAtMost(2)
        let channel = try ChannelOptions.channel(target, arguments)
        try await channel.closing {
            let source = SchemaSource(
                files, or: ServerReflection(channel: channel, target: target), arguments)
            try await body(source, arguments.words.dropFirst().first)
        }
    }
}
