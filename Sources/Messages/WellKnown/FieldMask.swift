public import SwiftletMessages

extension Google.Protobuf {
    /// A set of paths to fields of a message, such as `user.display_name`.
    public struct FieldMask: Message, ExpressibleByArrayLiteral {
        public var paths: [String] = []
        public var unknownFields = UnknownFields()

        public init() {}

        public init(paths: [String]) { self.paths = paths }

        public init(arrayLiteral paths: String...) { self.paths = paths }

        /// Whether the mask contains `path` or a field that encloses it.
        public func contains(_ path: String) -> Bool {
            paths.contains { path == $0 || path.hasPrefix($0 + ".") }
        }

        public static var messageName: String { "google.protobuf.FieldMask" }

        public static let layout = Layout<Self> { field in
            field.string(1, \.paths)
        }
    }
}
