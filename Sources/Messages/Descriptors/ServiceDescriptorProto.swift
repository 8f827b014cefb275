public import SwiftletMessages

// A service in google/protobuf/descriptor.proto.
extension Google.Protobuf {
    /// One service.
    public struct ServiceDescriptorProto: Message {
        public var name: String?
        public var method: [MethodDescriptorProto] = []
        public var options: ServiceOptions?
        public var unknownFields = UnknownFields()

        @inlinable
        public init() {}

        @inlinable
        public init(name: String? = nil, method: [MethodDescriptorProto] = []) {
            self.name = name
            self.method = method
        }

        @inlinable public static var messageName: String {
            "google.protobuf.ServiceDescriptorProto"
        }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.string(1, &name)
            try field.message(2, &method)
            try field.message(3, &options)
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

        @inlinable
        public init() {}

        @inlinable public static var messageName: String { "google.protobuf.MethodDescriptorProto" }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.string(1, &name)
            try field.string(2, &inputType)
            try field.string(3, &outputType)
            try field.message(4, &options)
            try field.bool(5, &clientStreaming)
            try field.bool(6, &serverStreaming)
        }
    }
}
