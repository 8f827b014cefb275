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

        @inlinable
        public init() {}

        @inlinable
        public init(host: String = "", messageRequest: MessageRequest? = nil) {
            self.host = host
            self.messageRequest = messageRequest
        }

        @inlinable public static var messageName: String {
            "grpc.reflection.v1.ServerReflectionRequest"
        }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.string(1, &host)
            try field.oneof(3, &messageRequest, .string, MessageRequest.fileByFilename) {
                if case .fileByFilename(let it) = $0 { it } else { nil }
            }
            try field.oneof(4, &messageRequest, .string, MessageRequest.fileContainingSymbol) {
                if case .fileContainingSymbol(let it) = $0 { it } else { nil }
            }
            try field.oneof(
                5, &messageRequest, .message(ExtensionRequest.self),
                MessageRequest.fileContainingExtension
            ) {
                if case .fileContainingExtension(let it) = $0 { it } else { nil }
            }
            try field.oneof(6, &messageRequest, .string, MessageRequest.allExtensionNumbersOfType) {
                if case .allExtensionNumbersOfType(let it) = $0 { it } else { nil }
            }
            try field.oneof(7, &messageRequest, .string, MessageRequest.listServices) {
                if case .listServices(let it) = $0 { it } else { nil }
            }
        }
    }

    /// A message and the number of an extension.
    public struct ExtensionRequest: Message {
        public var containingType = ""
        public var extensionNumber: Int32 = 0
        public var unknownFields = UnknownFields()

        @inlinable
        public init() {}

        @inlinable
        public init(containingType: String = "", extensionNumber: Int32 = 0) {
            self.containingType = containingType
            self.extensionNumber = extensionNumber
        }

        @inlinable public static var messageName: String { "grpc.reflection.v1.ExtensionRequest" }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.string(1, &containingType)
            try field.int32(2, &extensionNumber)
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

        @inlinable
        public init() {}

        @inlinable
        public init(
            validHost: String = "", originalRequest: ServerReflectionRequest? = nil,
            messageResponse: MessageResponse? = nil
        ) {
            self.validHost = validHost
            self.originalRequest = originalRequest
            self.messageResponse = messageResponse
        }

        @inlinable public static var messageName: String {
            "grpc.reflection.v1.ServerReflectionResponse"
        }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.string(1, &validHost)
            try field.message(2, &originalRequest)
            try field.oneof(
                4, &messageResponse, .message(FileDescriptorResponse.self),
                MessageResponse.fileDescriptorResponse
            ) {
                if case .fileDescriptorResponse(let it) = $0 { it } else { nil }
            }
            try field.oneof(
                5, &messageResponse, .message(ExtensionNumberResponse.self),
                MessageResponse.allExtensionNumbersResponse
            ) {
                if case .allExtensionNumbersResponse(let it) = $0 { it } else { nil }
            }
            try field.oneof(
                6, &messageResponse, .message(ListServiceResponse.self),
                MessageResponse.listServicesResponse
            ) {
                if case .listServicesResponse(let it) = $0 { it } else { nil }
            }
            try field.oneof(
                7, &messageResponse, .message(ErrorResponse.self), MessageResponse.errorResponse
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

        @inlinable
        public init() {}

        @inlinable
        public init(fileDescriptorProto: [[UInt8]] = []) {
            self.fileDescriptorProto = fileDescriptorProto
        }

        @inlinable public static var messageName: String {
            "grpc.reflection.v1.FileDescriptorResponse"
        }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.bytes(1, &fileDescriptorProto)
        }
    }

    /// The extensions of a message.
    public struct ExtensionNumberResponse: Message {
        public var baseTypeName = ""
        public var extensionNumber: [Int32] = []
        public var unknownFields = UnknownFields()

        @inlinable
        public init() {}

        @inlinable
        public init(baseTypeName: String = "", extensionNumber: [Int32] = []) {
            self.baseTypeName = baseTypeName
            self.extensionNumber = extensionNumber
        }

        @inlinable public static var messageName: String {
            "grpc.reflection.v1.ExtensionNumberResponse"
        }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.string(1, &baseTypeName)
            try field.int32(2, &extensionNumber)
        }
    }

    /// The services of a server.
    public struct ListServiceResponse: Message {
        public var service: [ServiceResponse] = []
        public var unknownFields = UnknownFields()

        @inlinable
        public init() {}

        @inlinable
        public init(service: [ServiceResponse] = []) {
            self.service = service
        }

        @inlinable public static var messageName: String {
            "grpc.reflection.v1.ListServiceResponse"
        }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.message(1, &service)
        }
    }

    /// One service.
    public struct ServiceResponse: Message {
        /// Its full name.
        public var name = ""
        public var unknownFields = UnknownFields()

        @inlinable
        public init() {}

        @inlinable
        public init(name: String = "") {
            self.name = name
        }

        @inlinable public static var messageName: String { "grpc.reflection.v1.ServiceResponse" }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.string(1, &name)
        }
    }

    /// Why a request failed.
    public struct ErrorResponse: Message {
        /// A gRPC status code.
        public var errorCode: Int32 = 0
        public var errorMessage = ""
        public var unknownFields = UnknownFields()

        @inlinable
        public init() {}

        @inlinable
        public init(errorCode: Int32 = 0, errorMessage: String = "") {
            self.errorCode = errorCode
            self.errorMessage = errorMessage
        }

        @inlinable public static var messageName: String { "grpc.reflection.v1.ErrorResponse" }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.int32(1, &errorCode)
            try field.string(2, &errorMessage)
        }
    }
}
