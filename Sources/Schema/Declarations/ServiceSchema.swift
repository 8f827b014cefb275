public import SwiftletMessages

/// A service of a schema.
public struct ServiceSchema: SchemaElement {
    package let pool: SchemaPool
    package let index: Int

    private var entry: ServiceEntry { pool.services[index] }

    /// The descriptor, options included.
    public var descriptor: Google.Protobuf.ServiceDescriptorProto { entry.proto }

    /// The name without its package.
    public var name: String { entry.proto.name ?? "" }

    /// The name with its package, for example `helloworld.Greeter`.
    public var fullName: String { entry.fullName }

    /// The file that declares the service.
    public var file: FileSchema { FileSchema(pool: pool, index: entry.file) }

    /// The methods in the order of their declaration.
    public var methods: [MethodSchema] {
        entry.methods.map { MethodSchema(pool: pool, index: $0) }
    }

    /// The method of that name; nil when there is none.
    public func method(_ name: String) -> MethodSchema? { methods.first { $0.name == name } }

    /// The comments around the declaration of the service.
    public var comments: SchemaComments { file.comments(at: path) ?? .init() }

    var path: [Int32] { [6, Int32(entry.position)] }
}

/// A method of a service.
public struct MethodSchema: SchemaElement {
    package let pool: SchemaPool
    package let index: Int

    private var entry: MethodEntry { pool.methods[index] }

    /// The descriptor, options included.
    public var descriptor: Google.Protobuf.MethodDescriptorProto { entry.proto }

    /// The name without the name of its service, for example `SayHello`.
    public var name: String { entry.proto.name ?? "" }

    /// The name with the full name of its service, for example `helloworld.Greeter.SayHello`.
    public var fullName: String { entry.fullName }

    /// The path of a call, for example `/helloworld.Greeter/SayHello`.
    public var path: String { "/\(service.fullName)/\(name)" }

    /// The schema that the method belongs to.
    public var schema: Schema { Schema(pool: pool) }

    /// The service that the method belongs to.
    public var service: ServiceSchema { ServiceSchema(pool: pool, index: entry.service) }

    /// The type of the requests.
    public var input: MessageSchema { MessageSchema(pool: pool, index: entry.input) }

    /// The type of the responses.
    public var output: MessageSchema { MessageSchema(pool: pool, index: entry.output) }

    /// Whether a call has many requests.
    public var streamsRequests: Bool { entry.proto.clientStreaming ?? false }

    /// Whether a call has many responses.
    public var streamsResponses: Bool { entry.proto.serverStreaming ?? false }

    /// The comments around the declaration of the method.
    public var comments: SchemaComments {
        service.file.comments(at: service.path + [2, Int32(entry.position)]) ?? .init()
    }
}
