/// What the messages and enums of some files are called, in full.
struct TypeNames {
    typealias FieldType = Google.Protobuf.FieldDescriptorProto.FieldType

    private var types: [String: FieldType] = [:]
    private var missing: String?

    init(_ files: [Google.Protobuf.FileDescriptorProto]) {
        for file in files {
            let scope = Self.scope(of: file)
            for message in file.messageType { add(message, scope) }
            for each in file.enumType { types["\(scope).\(each.name ?? "")"] = .enumeration }
        }
    }

    private mutating func add(_ message: Google.Protobuf.DescriptorProto, _ outer: String) {
        let scope = "\(outer).\(message.name ?? "")"
        types[scope] = .message
        for nested in message.nestedType { add(nested, scope) }
        for each in message.enumType { types["\(scope).\(each.name ?? "")"] = .enumeration }
    }

    /// Behind a dot, as all full names in descriptors.
    private static func scope(of file: Google.Protobuf.FileDescriptorProto) -> String {
        file.package.map { ".\($0)" } ?? ""
    }

    /// Gives all types in `file` their full names. Answers the first name that nobody declares.
    mutating func resolve(_ file: inout Google.Protobuf.FileDescriptorProto) -> String? {
        let scope = Self.scope(of: file)
        for index in file.messageType.indices { resolve(&file.messageType[index], scope) }
        for service in file.service.indices {
            for method in file.service[service].method.indices {
                file.service[service].method[method].inputType.resolve(in: scope, &self)
                file.service[service].method[method].outputType.resolve(in: scope, &self)
            }
        }
        return missing
    }

    private mutating func resolve(_ message: inout Google.Protobuf.DescriptorProto, _ outer: String)
    {
        let scope = "\(outer).\(message.name ?? "")"
        for index in message.nestedType.indices { resolve(&message.nestedType[index], scope) }
        for index in message.field.indices where message.field[index].typeName != nil {
            message.field[index].typeName.resolve(in: scope, &self)
            message.field[index].type = types[message.field[index].typeName ?? ""]
        }
    }

    /// The innermost scope that knows a name decides what it means, as in C++.
    fileprivate mutating func fullName(of name: String, in innermost: String) -> String {
        guard !name.hasPrefix(".") else {
            if types[name] == nil { missing = missing ?? name }
            return name
        }
        var scope = innermost[...]
        while true {
            let candidate = "\(scope).\(name)"
            if types[candidate] != nil { return candidate }
            guard let dot = scope.lastIndex(of: ".") else { break }
            scope = scope[..<dot]
        }
        missing = missing ?? name
        return name
    }
}

extension String? {
    fileprivate mutating func resolve(in scope: String, _ names: inout TypeNames) {
        self = map { names.fullName(of: $0, in: scope) }
    }
}
