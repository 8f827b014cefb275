/// Words that cannot be the name of a declaration in generated code, or only in backticks.
enum SwiftWords {
    /// The word as an identifier, in backticks where it is a keyword.
    static func escaped(_ name: String) -> String {
        keywords.contains(name) ? "`\(name)`" : name
    }

    /// Names of types that generated code refers to without their module. A message of such a name
    /// would hide the type.
    static let typeNames: Set = [
        "Any", "Array", "Bool", "CallOptions", "Channel", "Conversation", "Dictionary", "Double",
        "Equatable", "FakeChannel", "FakeResponse", "Float", "Google", "Hashable",
        "Indirect", "Int", "Int32", "Int64", "Layout", "LoopbackService", "Message", "Method",
        "OpenEnum",
        "Optional", "Protocol", "RPCError", "ReplyWriter", "RequestStream", "RequestWriter",
        "ResponseStream", "Self", "Sendable", "ServerContext", "ServerMethods", "ServiceClient",
        "String", "Swift", "Type", "UInt32", "UInt64", "UInt8", "UnknownFields", "Void",
    ]

    /// Names that an enum cannot have, because inside it they mean an associated type of `OpenEnum`.
    static let enumTypeNames: Set = ["RawValue"]

    /// Names of types and modules that the other faces of a client, and codecs for SwiftProtobuf, refer to. These are in
    /// extensions outside the client's namespace, so only a message without a package, or the namespace of a package,
    /// would hide the type.
    static let faceTypeNames: Set = [
        "BidirectionalCall", "BlockingCall", "ClientStreamingCall", "Codec", "Response",
        "ResponseHandlers", "Result", "RunningCall", "ServerStreamingCall", "SwiftProtobuf",
        "UnaryCall", "WritingCall",
    ]

    /// Names that the properties of a message cannot have, because `Message` declares them or because
    /// Swift gives `.name` another meaning.
    static let propertyNames: Set = [
        "debugDescription", "encode", "encoded", "hash", "hashValue", "init", "merge", "self",
        "unknownFields",
    ]

    /// Names that the values of an enum and the cases of a oneof cannot have.
    static let caseNames: Set = [
        "description", "hash", "hashValue", "init", "name", "none", "rawValue", "self", "some",
    ]

    /// Names that the functions of a client, a fake or a service cannot have.
    static let functionNames: Set = [
        "CallOptions", "FakeChannel", "Method", "Protocol", "RPCError", "Self", "Type",
        "bidirectional", "channel", "client", "clientStreaming", "defaultOptions", "fake", "init",
        "register", "self", "serverStreaming", "unary", "withDefaults",
    ]

    private static let keywords: Set = [
        "Any", "Self", "as", "associatedtype", "await", "break", "case", "catch", "class",
        "continue",
        "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false",
        "fileprivate", "for", "func", "guard", "if", "import", "in", "init", "inout", "internal",
        "is", "let", "nil", "operator", "precedencegroup", "private", "protocol", "public",
        "repeat",
        "rethrows", "return", "self", "static", "struct", "subscript", "super", "switch", "throw",
        "throws", "true", "try", "typealias", "var", "where", "while",
    ]
}

/// Chooses a name for each declaration of one scope.
struct NameScope {
    private(set) var names: Set<String> = []
    /// The next number to try for a name that was taken, so that equal names do not search from the start.
    private var nextNumbers: [String: Int] = [:]

    /// Returns the name itself if it is free. Otherwise tries the name with the suffix, and then with a
    /// number.
    mutating func claim(
        _ name: String, suffix: String, reserved: Set<String>...
    ) -> String {
        func isTaken(_ name: String) -> Bool {
            names.contains(name) || reserved.contains { $0.contains(name) }
        }
        var candidate = name
        if isTaken(candidate) { candidate += suffix }
        let base = candidate
        if isTaken(candidate) {
            var number = nextNumbers[base] ?? 2
            repeat {
                candidate = "\(base)\(number)"
                number += 1
            } while isTaken(candidate)
            nextNumbers[base] = number
        }
        names.insert(candidate)
        return candidate
    }
}
