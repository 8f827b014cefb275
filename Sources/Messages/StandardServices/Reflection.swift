public import SwiftletMessages

// The messages of grpc/reflection/v1/reflection.proto.
extension GRPC.Reflection {
    /// A request to the reflection service.
    public struct ServerReflectionRequest: Message {
        public enum MessageRequest: Equatable, Sendable {
            /// The file of this name.
            case fileByFilename(String)
            /// The file that declares this message, service or method, by its full name.
            case fileContainingSymbol(String)
            /// The file that extends this message with a field of this number.
            case fileContainingExtension(ExtensionRequest)
            /// The numbers of all extensions of this message.
            case allExtensionNumbersOfType(String)
            /// All services. The value has no meaning.
            case listServices(String)
        }

        public var host = ""
        public var messageRequest: MessageRequest?
        public var unknownFields = UnknownFields()

        public init() {}

        public init(host: String = "", messageRequest: MessageRequest? = nil) {
            self.host = host
            self.messageRequest = messageRequest
        }

        public static var messageName: String {
            "grpc.reflection.v1.ServerReflectionRequest"
        }

        public static let layout = Layout<Self> { field in
            field.string(1, \.host)
            field.oneof(3, \.messageRequest, .string, MessageRequest.fileByFilename) {
                if case .fileByFilename(let it) = $0 { it } else { nil }
            }
            field.oneof(4, \.messageRequest, .string, MessageRequest.fileContainingSymbol) {
                if case .fileContainingSymbol(let it) = $0 { it } else { nil }
            }
            field.oneof(
                5, \.messageRequest, .message(ExtensionRequest.self),
                MessageRequest.fileContainingExtension
            ) {
                if case .fileContainingExtension(let it) = $0 { it } else { nil }
            }
            field.oneof(6, \.messageRequest, .string, MessageRequest.allExtensionNumbersOfType) {
                if case .allExtensionNumbersOfType(let it) = $0 { it } else { nil }
            }
            field.oneof(7, \.messageRequest, .string, MessageRequest.listServices) {
                if case .listServices(let it) = $0 { it } else { nil }
            }
        }
    }

    /// A message and the number of an extension.
    public struct ExtensionRequest: Message {
        public var containingType = ""
        public var extensionNumber: Int32 = 0
        public var unknownFields = UnknownFields()

        public init() {}

        public init(containingType: String = "", extensionNumber: Int32 = 0) {
            self.containingType = containingType
            self.extensionNumber = extensionNumber
        }

        public static var messageName: String { "grpc.reflection.v1.ExtensionRequest" }

        public static let layout = Layout<Self> { field in
            field.string(1, \.containingType)
            field.int32(2, \.extensionNumber)
        }
    }

    /// The response to one request.
    public struct ServerReflectionResponse: Message {
        public enum MessageResponse: Equatable, Sendable {
            case fileDescriptorResponse(FileDescriptorResponse)
            case allExtensionNumbersResponse(ExtensionNumberResponse)
            case listServicesResponse(ListServiceResponse)
            case errorResponse(ErrorResponse)
        }

        public var validHost = ""
        public var originalRequest: ServerReflectionRequest?
        public var messageResponse: MessageResponse?
        public var unknownFields = UnknownFields()

        public init() {}

        public init(
            validHost: String = "", originalRequest: ServerReflectionRequest? = nil,
            messageResponse: MessageResponse? = nil
        ) {
            self.validHost = validHost
            self.originalRequest = originalRequest
            self.messageResponse = messageResponse
        }

        public static var messageName: String {
            "grpc.reflection.v1.ServerReflectionResponse"
        }

        public static let layout = Layout<Self> { field in
            field.string(1, \.validHost)
            field.message(2, \.originalRequest)
            field.oneof(
                4, \.messageResponse, .message(FileDescriptorResponse.self),
                MessageResponse.fileDescriptorResponse
            ) {
                if case .fileDescriptorResponse(let it) = $0 { it } else { nil }
            }
            field.oneof(
                5, \.messageResponse, .message(ExtensionNumberResponse.self),
                MessageResponse.allExtensionNumbersResponse
            ) {
                if case .allExtensionNumbersResponse(let it) = $0 { it } else { nil }
            }
            field.oneof(
                6, \.messageResponse, .message(ListServiceResponse.self),
                MessageResponse.listServicesResponse
            ) {
                if case .listServicesResponse(let it) = $0 { it } else { nil }
            }
            field.oneof(
                7, \.messageResponse, .message(ErrorResponse.self), MessageResponse.errorResponse
            ) {
                if case .errorResponse(let it) = $0 { it } else { nil }
            }
        }
    }

    /// A file and the files that it imports.
    public struct FileDescriptorResponse: Message {
        /// Each a serialized google.protobuf.FileDescriptorProto.
        public var fileDescriptorProto: [[UInt8]] = []
        public var unknownFields = UnknownFields()

        public init() {}

        public init(fileDescriptorProto: [[UInt8]] = []) {
            self.fileDescriptorProto = fileDescriptorProto
        }

        public static var messageName: String {
            "grpc.reflection.v1.FileDescriptorResponse"
        }

        public static let layout = Layout<Self> { field in
            field.bytes(1, \.fileDescriptorProto)
        }
    }

    /// The extensions of a message.
    public struct ExtensionNumberResponse: Message {
        public var baseTypeName = ""
        public var extensionNumber: [Int32] = []
        public var unknownFields = UnknownFields()

        public init() {}

        public init(baseTypeName: String = "", extensionNumber: [Int32] = []) {
            self.baseTypeName = baseTypeName
            self.extensionNumber = extensionNumber
        }

        public static var messageName: String {
            "grpc.reflection.v1.ExtensionNumberResponse"
        }

        public static let layout = Layout<Self> { field in
            field.string(1, \.baseTypeName)
            field.int32(2, \.extensionNumber)
        }
    }

    /// The services of a server.
    public struct ListServiceResponse: Message {
        public var service: [ServiceResponse] = []
        public var unknownFields = UnknownFields()

        public init() {}

        public init(service: [ServiceResponse] = []) {
            self.service = service
        }

        public static var messageName: String {
            "grpc.reflection.v1.ListServiceResponse"
        }

        public static let layout = Layout<Self> { field in
            field.message(1, \.service)
        }
    }

    /// One service.
    public struct ServiceResponse: Message {
        /// Its full name.
        public var name = ""
        public var unknownFields = UnknownFields()

        public init() {}

        public init(name: String = "") {
            self.name = name
        }

        public static var messageName: String { "grpc.reflection.v1.ServiceResponse" }

        public static let layout = Layout<Self> { field in
            field.string(1, \.name)
        }
    }

    /// Why a request failed.
    public struct ErrorResponse: Message {
        /// A gRPC status code.
        public var errorCode: Int32 = 0
        public var errorMessage = ""
        public var unknownFields = UnknownFields()

        public init() {}

        public init(errorCode: Int32 = 0, errorMessage: String = "") {
            self.errorCode = errorCode
            self.errorMessage = errorMessage
        }

        public static var messageName: String { "grpc.reflection.v1.ErrorResponse" }

        public static let layout = Layout<Self> { field in
            field.int32(1, \.errorCode)
            field.string(2, \.errorMessage)
        }
    }
}
