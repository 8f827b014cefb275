import Swiftlet
import SwiftletDynamic

extension Schema {
    /// The files whose messages servers send in a `google.protobuf.Any`, often without describing them.
    private static let contentsOfAny =
        ["google/rpc/error_details.proto", "google/rpc/status.proto"]
        + ["any", "duration", "empty", "field_mask", "struct", "timestamp", "wrappers"]
        .map { "google/protobuf/\($0).proto" }

    /// The schema, with `google.protobuf.Any` and the usual types of its contents added.
    func withContentsOfAny() throws -> Schema { try adding(standard: Self.contentsOfAny) }

    /// The schema, with the usual types of the contents of an `Any` if it has that message.
    func readingAny() throws -> Schema {
        message("google.protobuf.Any") == nil ? self : try withContentsOfAny()
    }

    /// The schema, with files added that the library has, and their imports.
    func adding(standard names: [String]) throws -> Schema {
        guard names.contains(where: { file($0) == nil }) else { return self }
        return try adding(ProtoCompiler().compile(names).file)
    }

    /// The schema with more files. A file is not added if the schema has one of the same name, or its messages
    /// in another file.
    func adding(_ files: [Google.Protobuf.FileDescriptorProto]) throws -> Schema {
        let added = files.filter { added in
            let package = added.package.map { $0 + "." } ?? ""
            return file(added.name ?? "") == nil
                && !added.messageType.contains { message(package + ($0.name ?? "")) != nil }
        }
        return added.isEmpty ? self : try Schema(descriptors + added)
    }
}
