/// The names of the messages that SwiftProtobuf's generator makes, such as `Helloworld_HelloRequest`.
///
/// Its rules: the package is a prefix, in which each component begins with a capital letter and loses its
/// underscores, unless the option `swift_prefix` is set. A nested message is a nested type. A name that Swift or
/// SwiftProtobuf needs gets the suffix `Message`.
enum SwiftProtobufNames {
    static let module = "SwiftProtobuf"

    /// Whether the module itself has the message.
    static func isProvided(_ message: MessageSchema) -> Bool {
        message.file.name.hasPrefix("google/protobuf/")
    }

    static func name(of message: MessageSchema) -> String {
        guard let parent = message.parent else {
            return free(prefix(of: message.file) + message.name)
        }
        return name(of: parent) + "." + free(message.name)
    }

    private static func prefix(of file: FileSchema) -> String {
        if let prefix = file.descriptor.options?.swiftPrefix { return prefix }
        guard !file.package.isEmpty else { return "" }
        let components = file.package.split(separator: ".").map { component in
            component.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }
                .joined()
        }
        let prefix = components.joined(separator: "_") + "_"
        return prefix.first?.isNumber == true ? "_" + prefix : prefix
    }

    /// The name, or the name with the suffix if it is not free. A name that ends in the suffix gets it once more if the
    /// rest is not free.
    private static func free(_ name: String) -> String {
        if taken.contains(name[...]) || name.allSatisfy({ $0 == "_" }) { return name + suffix }
        guard name.hasSuffix(suffix) else { return name }
        return free(String(name.dropLast(suffix.count))) + suffix
    }

    private static let suffix = "Message"

    private static let taken = Set(
        """
        Any Bool Data Double Equatable Extensions Float Hashable Int Int32 Int64 Protocol Self Sendable String Swift \
        SwiftProtobuf Type UInt UInt32 UInt64 __COLUMN__ __FILE__ __FUNCTION__ __LINE__ as associatedtype break case \
        catch class continue debugDescription decodeMessage default defer deinit description do dynamicType else enum \
        extension fallthrough false fileprivate for func guard hashValue if import in init inout internal is \
        isInitialized let nil open operator private protoMessageName protocol public repeat rethrows return self \
        static struct subscript super switch throw throws traverse true try typealias unknownFields var where while
        """.split(separator: " "))
}
