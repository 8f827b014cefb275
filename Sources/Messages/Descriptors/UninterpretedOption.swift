public import SwiftletMessages

// An option without its type in google/protobuf/descriptor.proto.
extension Google.Protobuf {
    /// An option as it is written in the source, before its type is known.
    public struct UninterpretedOption: Message {
        /// A part of an option's name.
        public struct NamePart: Message {
            public var namePart = ""
            /// Whether the part was written in parentheses.
            public var isExtension = false
            public var unknownFields = UnknownFields()

            public init() {}

            public init(namePart: String, isExtension: Bool) {
                self.namePart = namePart
                self.isExtension = isExtension
            }

            public static var messageName: String {
                "google.protobuf.UninterpretedOption.NamePart"
            }

            public static let layout = Layout<Self> { field in
                field.required(.string, 1, \.namePart)
                field.required(.bool, 2, \.isExtension)
            }
        }

        public var name: [NamePart] = []
        public var identifierValue: String?
        public var positiveIntValue: UInt64?
        public var negativeIntValue: Int64?
        public var doubleValue: Double?
        public var stringValue: [UInt8]?
        /// The text between the braces.
        public var aggregateValue: String?
        public var unknownFields = UnknownFields()

        public init() {}

        public static var messageName: String { "google.protobuf.UninterpretedOption" }

        public static let layout = Layout<Self> { field in
            field.message(2, \.name)
            field.string(3, \.identifierValue)
            field.uint64(4, \.positiveIntValue)
            field.int64(5, \.negativeIntValue)
            field.double(6, \.doubleValue)
            field.bytes(7, \.stringValue)
            field.string(8, \.aggregateValue)
        }
    }
}
