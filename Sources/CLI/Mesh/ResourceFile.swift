import Swiftlet
import SwiftletDynamic
import SwiftletJSON

/// Reads resources of control planes in JSON: an object with an `@type`, a list of such objects, or an object with such
/// a list in its member `resources`, as in a response of a control plane.
///
/// Fields that clients do not read are ignored. So are the contents of an `Any` of a type that clients do not know.
struct ResourceFile {
    /// A resource as a control plane would send it.
    struct Entry {
        let typeURL: String
        let bytes: [UInt8]
    }

    let entries: [Entry]

    /// Throws an error with the line and the column if the text is not valid.
    init(_ text: String) throws {
        let value = try JSONReader.read(text, of: "file")
        var (prefix, suffix) = ("", "")
        switch value {
        case .array: (prefix, suffix) = ("{\"resources\":", "}")
        case .object(let members) where members["@type"] != nil:
            (prefix, suffix) = ("{\"resources\":[", "]}")
        case .object(let members) where members["resources"] != nil: break
        default:
            throw UsageError(
                message: "expected an object with an '@type', or a list of such objects",
                isAboutUsage: false)
        }
        let schema = try Self.schema(holding: Self.typeNames(in: value))
        let list = try schema.requiredMessage("swiftlet.Resources")
        do throws(FormatError) {
            let message = try DynamicMessage(
                json: Array((prefix + text + suffix).utf8), as: list,
                options: JSONReadingOptions(ignoresUnknownFields: true))
            entries = Self.entries(of: message)
        } catch {
            var error = error
            if error.line == 1 { error.column = max(1, error.column - prefix.utf8.count) }
            throw UsageError(message: "\(error)", isAboutUsage: false)
        }
    }

    private static func entries(of message: DynamicMessage) -> [Entry] {
        guard case .list(let values)? = try? message.get("resources") else { return [] }
        return values.map { value in
            guard case .message(let any) = value, case .string(let url)? = try? any.get("type_url"),
                case .bytes(let bytes)? = try? any.get("value")
            else { return Entry(typeURL: "", bytes: []) }
            return Entry(typeURL: url, bytes: bytes)
        }
    }
}

// MARK: - Types

extension ResourceFile {
    /// The messages that clients read, and an empty message for each other type.
    private static func schema(holding names: Set<String>) throws -> Schema {
        var files = EnvoySources.files
        files["swiftlet/resources.proto"] = """
            syntax = "proto3";
            package swiftlet;
            import "google/protobuf/any.proto";
            message Resources { repeated google.protobuf.Any resources = 1; }
            """
        let known = try Schema(compiled(files))
        for name in names.sorted() where known.message(name) == nil {
            guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { continue }
            files["unknown/\(name).proto"] =
                "syntax = \"proto3\"; package \(name[..<dot]); "
                + "message \(name[name.index(after: dot)...]) {}"
        }
        return try Schema(compiled(files)).withContentsOfAny()
    }

    private static func compiled(
        _ files: [String: String]
    ) throws -> [Google.Protobuf.FileDescriptorProto] {
        do throws(ProtoCompilationError) {
            return try ProtoCompiler(reading: { files[$0].map { Array($0.utf8) } })
                .compile(files.keys.sorted()).file
        } catch {
            // A type whose name cannot be one, such as one inside another message.
            throw UsageError(message: "a type is not valid: \(error)", isAboutUsage: false)
        }
    }

    /// The names in all members `@type`, if they have the form of names. Calls itself for nested values, whose depth
    /// the reader of JSON has limited.
    private static func typeNames(in value: ConfigValue) -> Set<String> {
        switch value {
        case .array(let values): values.reduce(into: []) { $0.formUnion(typeNames(in: $1)) }
        case .object(let members):
            members.reduce(into: []) { names, member in
                names.formUnion(typeNames(in: member.value))
                guard member.key == "@type", case .string(let url) = member.value,
                    let name = url.utf8.split(separator: UInt8(ascii: "/")).last.map({
                        String(Substring($0))
                    }), isName(name)
                else { return }
                names.insert(name)
            }
        case .null, .bool, .number, .string: []
        }
    }

    private static func isName(_ text: String) -> Bool {
        text.utf8.count <= 500
            && text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
                .allSatisfy { part in
                    part.first.map { !(0x30...0x39 ~= $0) } ?? false
                        && part.allSatisfy { byte in
                            byte == UInt8(ascii: "_") || 0x30...0x39 ~= byte
                                || 0x41...0x5a ~= byte || 0x61...0x7a ~= byte
                        }
                }
    }
}
