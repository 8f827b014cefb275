public import SwiftletMessages

// A service in google/protobuf/descriptor.proto.
extension Google.Protobuf {
    /// One service.
    public struct ServiceDescriptorProto: Message {
        public var name: String?
        public var method: [MethodDescriptorProto] = []
        public var options: ServiceOptions?
        public var unknownFields = UnknownFields()

        public init() {}

        public init(name: String? = nil, method: [MethodDescriptorProto] = []) {
            self.name = name
            self.method = method
        }

        public static var messageName: String {
            "google.protobuf.ServiceDescriptorProto"
        }

        public static let layout = Layout<Self> { field in
            field.string(1, \.name)
            field.message(2, \.method)
            field.message(3, \.options)
        }
    }

    /// One method.
    public struct MethodDescriptorProto: Message {
        public var name: String?
        /// The full name of the request's type, with a leading dot.
        public var inputType: String?
        /// The full name of the response's type, with a leading dot.
        public var outputType: String?
        public var options: MethodOptions?
        public var clientStreaming: Bool?
        public var serverStreaming: Bool?
        public var unknownFields = UnknownFields()

        public init() {}

        public static var messageName: String { "google.protobuf.MethodDescriptorProto" }

        public static let layout = Layout<Self> { field in
            field.string(1, \.name)
            field.string(2, \.inputType)
            field.string(3, \.outputType)
            field.message(4, \.options)
            field.bool(5, \.clientStreaming)
            field.bool(6, \.serverStreaming)
        }
    }
}
