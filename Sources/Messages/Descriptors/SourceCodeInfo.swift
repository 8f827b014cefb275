public import SwiftletMessages

// Positions in source and generated code in google/protobuf/descriptor.proto.
extension Google.Protobuf {
    /// The positions of a file's declarations in its source.
    public struct SourceCodeInfo: Message {
        /// The position of a declaration, or of a part of it.
        public struct Location: Message {
            /// The field numbers and indices that lead from the file to the declaration.
            public var path: [Int32] = []
            /// The first line, the first column, the last line and the end column, each counted from 0. If
            /// the last line is the first one, it is omitted.
            public var span: [Int32] = []
            public var leadingComments: String?
            public var trailingComments: String?
            public var leadingDetachedComments: [String] = []
            public var unknownFields = UnknownFields()

            public init() {}

            public static var messageName: String {
                "google.protobuf.SourceCodeInfo.Location"
            }

            public static let layout = Layout<Self> { field in
                field.int32(1, \.path)
                field.int32(2, \.span)
                field.string(3, \.leadingComments)
                field.string(4, \.trailingComments)
                field.string(6, \.leadingDetachedComments)
            }
        }

        public var location: [Location] = []
        public var unknownFields = UnknownFields()

        public init() {}

        public static var messageName: String { "google.protobuf.SourceCodeInfo" }

        public static let layout = Layout<Self> { field in
            field.message(1, \.location)
        }
    }

    /// The declarations from which code was generated.
    public struct GeneratedCodeInfo: Message {
        /// The declaration for a piece of generated code.
        public struct Annotation: Message {
            /// The effect of the generated code on the element that the `.proto` file declares.
            public struct Semantic: OpenEnum {
                public var rawValue: Int32

                public init(rawValue: Int32) { self.rawValue = rawValue }

                public static let noEffect = Semantic(rawValue: 0)
                public static let set = Semantic(rawValue: 1)
                public static let alias = Semantic(rawValue: 2)

                public var name: String? {
                    switch self {
                    case .noEffect: "NONE"
                    case .set: "SET"
                    case .alias: "ALIAS"
                    default: nil
                    }
                }
            }

            public var path: [Int32] = []
            public var sourceFile: String?
            public var begin: Int32?
            public var end: Int32?
            public var semantic: Semantic?
            public var unknownFields = UnknownFields()

            public init() {}

            public static var messageName: String {
                "google.protobuf.GeneratedCodeInfo.Annotation"
            }

            public static let layout = Layout<Self> { field in
                field.int32(1, \.path)
                field.string(2, \.sourceFile)
                field.int32(3, \.begin)
                field.int32(4, \.end)
                field.enumeration(5, \.semantic)
            }
        }

        public var annotation: [Annotation] = []
        public var unknownFields = UnknownFields()

        public init() {}

        public static var messageName: String { "google.protobuf.GeneratedCodeInfo" }

        public static let layout = Layout<Self> { field in
            field.message(1, \.annotation)
        }
    }
}
