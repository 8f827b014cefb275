import Swiftlet

/// Calls `grpc.health.v1.Health`.
enum HealthCommand: Command {
    static let name = "health"
    static let usage = "health [TARGET] [SERVICE] \(ChannelOptions.usage)"
    static let purpose = "asks whether a server, or one of its services, is able to serve"
    static let options = ChannelOptions.names

    static func run(_ arguments: Arguments) async throws {
        try arguments.expectAtMost(2)
        let target = arguments.words.first ?? ChannelOptions.defaultTarget
        let service = arguments.words.count > 1 ? arguments.words[1] : ""
        let channel = try ChannelOptions.channel(target, arguments)
        try await channel.closing {
            print(try await HealthClient(channel: channel).check(service))
        }
    }
}

/// Asks a server's reflection.
enum ServicesCommand: Command {
    static let name = "services"
    static let usage = "services [TARGET] [SERVICE] \(ChannelOptions.usage)"
    static let purpose = "lists the services of a server, or the methods of one of them"
    static let options = ChannelOptions.names

    static func run(_ arguments: Arguments) async throws {
        try arguments.expectAtMost(2)
        let target = arguments.words.first ?? ChannelOptions.defaultTarget
        let channel = try ChannelOptions.channel(target, arguments)
        let client = ReflectionClient(channel: channel)
        try await channel.closing {
            guard arguments.words.count > 1 else {
                for service in try await client.services() { print(service) }
                return
            }
            try await listMethods(of: arguments.words[1], client)
        }
    }

    private static func listMethods(of name: String, _ client: ReflectionClient) async throws {
        var isService = false
        for file in try await client.files(declaring: name) {
            for service in file.service where file.fullName(of: service) == name {
                isService = true
                for method in service.method { print("\(name)/\(method.name ?? "")") }
            }
        }
        guard isService else { throw RPCError(.notFound, "'\(name)' is not a service") }
    }
}

extension Google.Protobuf.FileDescriptorProto {
    fileprivate func fullName(of service: Google.Protobuf.ServiceDescriptorProto) -> String {
        let name = service.name ?? ""
        return package.map { "\($0).\(name)" } ?? name
    }
}
