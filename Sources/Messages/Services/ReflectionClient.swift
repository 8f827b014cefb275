public import Swiftlet

/// Requests the services of a server and their schemas: `grpc.reflection.v1`, or `v1alpha` if the server is
/// older.
///
/// ```swift
/// let reflection = ReflectionClient(channel: channel)
/// for service in try await reflection.services() { print(service) }
/// ```
///
/// A file is returned as the server sends it: an encoded `google.protobuf.FileDescriptorProto`. The module
/// `SwiftletDynamic` contains this message, and makes schemas of such files:
///
/// ```swift
/// let files = try await reflection.files(declaring: "helloworld.Greeter")
/// let schema = try Schema(files.map { try Google.Protobuf.FileDescriptorProto(decoding: $0) })
/// ```
///
/// A server need not send the imports of a file with it. `SchemaFetch` of that module requests the missing
/// imports.
public struct ReflectionClient: Sendable {
    private typealias Request = GRPC.Reflection.ServerReflectionRequest
    private typealias Reply = GRPC.Reflection.ServerReflectionResponse

    public let channel: Channel

    public init(channel: Channel) { self.channel = channel }

    /// The full names of all services.
    public func services(
        options: CallOptions = CallOptions()
    ) async throws(RPCError) -> [String] {
        guard case .listServicesResponse(let list) = try await send(.listServices("*"), options)
        else { throw Self.unexpected }
        return list.service.map(\.name)
    }

    /// The file that declares a service, a method, a message or an enum, by its full name, followed by
    /// the imports that the server sends with it. Each is an encoded `google.protobuf.FileDescriptorProto`,
    /// which is not checked.
    public func files(
        declaring symbol: String, options: CallOptions = CallOptions()
    ) async throws(RPCError) -> [[UInt8]] {
        try await files(.fileContainingSymbol(symbol), options)
    }

    /// The file with this name, followed by the imports that the server sends with it. Each is an encoded
    /// `google.protobuf.FileDescriptorProto`, which is not checked.
    public func files(
        named name: String, options: CallOptions = CallOptions()
    ) async throws(RPCError) -> [[UInt8]] {
        try await files(.fileByFilename(name), options)
    }
}

// MARK: - One request

extension ReflectionClient {
    private static var unexpected: RPCError {
        RPCError(.internal, "the server's reflection service sent a response of an unexpected kind")
    }

    private func files(
        _ request: Request.MessageRequest, _ options: CallOptions
    ) async throws(RPCError) -> [[UInt8]] {
        guard case .fileDescriptorResponse(let list) = try await send(request, options) else {
            throw Self.unexpected
        }
        return list.fileDescriptorProto
    }

    private static let v1 = Method<Request, Reply>(
        "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", .bidirectional)
    private static let v1alpha = Method<Request, Reply>(
        "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", .bidirectional)

    private func send(
        _ request: Request.MessageRequest, _ options: CallOptions
    ) async throws(RPCError) -> Reply.MessageResponse {
        do throws(RPCError) {
            return try await send(request, with: Self.v1, options)
        } catch {
            guard error.code == .unimplemented else { throw error }
            return try await send(request, with: Self.v1alpha, options)
        }
    }

    private func send(
        _ request: Request.MessageRequest, with method: Method<Request, Reply>,
        _ options: CallOptions
    ) async throws(RPCError) -> Reply.MessageResponse {
        let call = try await channel.bidirectional(method, options: options)
        try call.requests.finish(with: Request(messageRequest: request))
        var responses = call.responses.makeAsyncIterator()
        let first = try await responses.next()
        // Reads to the end of the stream, because the call may fail after its first response.
        while try await responses.next() != nil {}
        switch first?.messageResponse {
        case .errorResponse(let error):
            var failure = RPCError(
                StatusCode(rawValue: Int(error.errorCode)), error.errorMessage)
            failure.origin = .server
            throw failure
        case let response?: return response
        case nil: throw Self.unexpected
        }
    }
}
