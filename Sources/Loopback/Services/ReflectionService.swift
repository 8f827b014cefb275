import SwiftletCore
public import SwiftletMessages
import SwiftletServiceMessages
import SwiftletTransport

/// `grpc.reflection.v1.ServerReflection` and its predecessor `v1alpha`: lists the services of the server, and
/// returns the files that declare them.
public struct ReflectionService: LoopbackService {
    private typealias Request = GRPC.Reflection.ServerReflectionRequest
    private typealias Reply = GRPC.Reflection.ServerReflectionResponse

    private let files: DescribedFiles

    /// - Parameter files: The files that the service can return; by default, the files of the services that
    ///   are included in the library.
    public init(files: [Google.Protobuf.FileDescriptorProto] = .bundled) {
        self.files = DescribedFiles(files)
    }

    public func register(in methods: inout ServerMethods) {
        let files = files
        for package in ["grpc.reflection.v1", "grpc.reflection.v1alpha"] {
            methods.bidirectional(
                Method<Request, Reply>(
                    bundled: "/\(package).ServerReflection/ServerReflectionInfo", .bidirectional)
            ) { requests, replies, context in
                for try await request in requests {
                    var reply = Reply(validHost: request.host, originalRequest: request)
                    reply.messageResponse = files.answer(request, services: context.serviceNames)
                    try await replies.write(reply)
                }
            }
        }
    }
}

extension [Google.Protobuf.FileDescriptorProto] {
    /// The files of the services that are included in the library.
    public static var bundled: Self { Google.Protobuf.FileDescriptorProto.bundled }
}

/// Files by their names and by the names that they declare.
private struct DescribedFiles: Sendable {
    private struct File: Sendable {
        var bytes: [UInt8]
        var imports: [String]
    }

    private var files: [String: File] = [:]
    private var fileOfSymbol: [String: String] = [:]
    /// The file of each extension, by the message that is extended and the number.
    private var extensions: [String: [Int32: String]] = [:]

    init(_ descriptors: [Google.Protobuf.FileDescriptorProto]) {
        for descriptor in descriptors {
            guard let name = descriptor.name else { continue }
            files[name] = File(bytes: descriptor.encoded(), imports: descriptor.dependency)
            for symbol in descriptor.symbols { fileOfSymbol[symbol] = name }
            for field in descriptor.extensions {
                guard let extended = field.extendee, let number = field.number else { continue }
                let type = extended.hasPrefix(".") ? String(extended.dropFirst()) : extended
                extensions[type, default: [:]][number] = name
            }
        }
    }

    func answer(
        _ request: GRPC.Reflection.ServerReflectionRequest, services: [String]
    ) -> GRPC.Reflection.ServerReflectionResponse.MessageResponse {
        switch request.messageRequest {
        case .listServices:
            .listServicesResponse(.init(service: services.map { .init(name: $0) }))
        case _ where !Self.hasBoundedNames(request): Self.notFound("such name")
        case .fileByFilename(let name):
            files[name] == nil ? Self.notFound("file '\(name)'") : file(name)
        case .fileContainingSymbol(let symbol):
            fileOfSymbol[symbol].map(file) ?? Self.notFound("symbol '\(symbol)'")
        case .allExtensionNumbersOfType(let type)
        where fileOfSymbol[type] != nil || extensions[type] != nil:
            .allExtensionNumbersResponse(
                .init(
                    baseTypeName: type, extensionNumber: (extensions[type] ?? [:]).keys.inOrder()))
        case .allExtensionNumbersOfType(let type): Self.notFound("type '\(type)'")
        case .fileContainingExtension(let field):
            extensions[field.containingType]?[field.extensionNumber].map(file)
                ?? Self.notFound("extension \(field.extensionNumber) of '\(field.containingType)'")
        case nil:
            .errorResponse(
                .init(
                    errorCode: Int32(StatusCode.invalidArgument.rawValue),
                    errorMessage: "the request asks for nothing"))
        }
    }

    /// Whether the names in the request can be looked up. See ``WireText``.
    private static func hasBoundedNames(_ request: GRPC.Reflection.ServerReflectionRequest) -> Bool
    {
        switch request.messageRequest {
        case .fileByFilename(let name), .fileContainingSymbol(let name),
            .allExtensionNumbersOfType(let name):
            WireText.hasBoundedMarks(name)
        case .fileContainingExtension(let field): WireText.hasBoundedMarks(field.containingType)
        case .listServices, nil: true
        }
    }

    /// A file and all files that it imports. The file itself is first.
    private func file(
        _ name: String
    ) -> GRPC.Reflection.ServerReflectionResponse.MessageResponse {
        var names = [name]
        var seen: Set = [name]
        var bytes: [[UInt8]] = []
        var index = 0
        while index < names.count {
            if let file = files[names[index]] {
                bytes.append(file.bytes)
                names += file.imports.filter { seen.insert($0).inserted }
            }
            index += 1
        }
        return .fileDescriptorResponse(.init(fileDescriptorProto: bytes))
    }

    private static func notFound(
        _ what: String
    ) -> GRPC.Reflection.ServerReflectionResponse.MessageResponse {
        .errorResponse(
            .init(
                errorCode: Int32(StatusCode.notFound.rawValue),
                errorMessage: "there is no \(what)"))
    }
}

extension Google.Protobuf.FileDescriptorProto {
    /// The extensions that the file declares, at its top level or inside messages.
    fileprivate var extensions: [Google.Protobuf.FieldDescriptorProto] {
        `extension` + messageType.flatMap(\.extensions)
    }
}

extension Google.Protobuf.DescriptorProto {
    fileprivate var extensions: [Google.Protobuf.FieldDescriptorProto] {
        `extension` + nestedType.flatMap(\.extensions)
    }
}
