import SwiftletMessages

/// The comments around a declaration in its `.proto` file, without their slashes and stars. Empty when the
/// descriptors have no source information.
public struct SchemaComments: Hashable, Sendable {
    /// The comment directly before the declaration.
    public var leading: String?
    /// The comment on the same line or directly after it.
    public var trailing: String?
    /// The comments before the leading comment, separated from it by an empty line.
    public var detached: [String] = []

    /// Makes comments; none by default.
    public init(leading: String? = nil, trailing: String? = nil, detached: [String] = []) {
        self.leading = leading
        self.trailing = trailing
        self.detached = detached
    }
}

extension SchemaComments {
    /// The comments in a file, keyed by the path of the declaration.
    static func all(
        of file: Google.Protobuf.FileDescriptorProto
    ) -> [[Int32]: SchemaComments] {
        var comments: [[Int32]: SchemaComments] = [:]
        for location in file.sourceCodeInfo?.location ?? [] {
            let each = SchemaComments(
                leading: location.leadingComments, trailing: location.trailingComments,
                detached: location.leadingDetachedComments)
            guard each != SchemaComments() else { continue }
            comments[location.path] = each
        }
        return comments
    }
}
