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

            @inlinable
            public init() {}

            @inlinable
            public init(namePart: String, isExtension: Bool) {
                self.namePart = namePart
                self.isExtension = isExtension
            }

            @inlinable public static var messageName: String {
                "google.protobuf.UninterpretedOption.NamePart"
            }

            @inlinable
            public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
                try field.required(.string, 1, &namePart)
                try field.required(.bool, 2, &isExtension)
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

        @inlinable
        public init() {}

        @inlinable public static var messageName: String { "google.protobuf.UninterpretedOption" }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.message(2, &name)
            try field.string(3, &identifierValue)
            try field.uint64(4, &positiveIntValue)
            try field.int64(5, &negativeIntValue)
            try field.double(6, &doubleValue)
            try field.bytes(7, &stringValue)
            try field.string(8, &aggregateValue)
        }
    }
}
