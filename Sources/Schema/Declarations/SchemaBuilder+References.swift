import SwiftletMessages

// The second pass: the types that fields and methods name.
extension SchemaBuilder {
    /// The declaration that `name` refers to when it is used in `scope`. A name with a leading dot is a full
    /// name. Any other name is looked up in the innermost scope first.
    private func symbol(
        _ name: String, from scope: String, file: Int
    ) throws(SchemaError) -> SchemaPool.Symbol? {
        let isFullName = name.utf8.first == UInt8(ascii: ".")
        let path = isFullName ? name.dropFirst() : name[...]
        guard path.utf8.count <= ProtoName.maxByteCount, ProtoName.isDotted(path) else {
            throw error(file, scope, "'\(ProtoName.shown(name))' is not the name of a type")
        }
        if isFullName { return symbols[String(path)] }
        var scope = Substring(scope)
        while true {
            if let found = symbols[Self.join(String(scope), name)] { return found }
            guard !scope.isEmpty else { return nil }
            scope = scope.lastIndex(of: ".").map { scope[..<$0] } ?? ""
        }
    }

    private func message(
        _ name: String?, from scope: String, file: Int
    ) throws(SchemaError) -> Int {
        guard let name, !name.isEmpty else { throw error(file, scope, "it names no message") }
        switch try symbol(name, from: scope, file: file) {
        case .message(let index):
            guard !isMapEntry(index) else { throw mapEntryError(file, scope, name) }
            return index
        case nil: throw error(file, scope, "unknown type '\(name)'; add the file that declares it")
        default: throw error(file, scope, "'\(name)' is not a message")
        }
    }

    mutating func resolve(method index: Int) throws(SchemaError) {
        let entry = methods[index]
        let file = services[entry.service].file
        methods[index].input = try message(entry.proto.inputType, from: entry.fullName, file: file)
        methods[index].output = try message(
            entry.proto.outputType, from: entry.fullName, file: file)
    }

    mutating func resolve(field index: Int) throws(SchemaError) {
        let entry = fields[index]
        fields[index].message = try containingMessage(of: entry)
        let (type, target) = try type(of: entry)
        layouts.append(try layout(of: index, type, target))
        try resolveDefault(of: index, type, target)
        fields[index].isGroupLike = isGroupLike(entry, type, target)
        if entry.isExtension {
            try register(extension: index)
        } else if let oneof = entry.proto.oneofIndex {
            let oneof = messages[fields[index].message].oneofs.lowerBound + Int(oneof)
            oneofs[oneof].fields.append(index)
            oneofs[oneof].isSynthetic = entry.proto.proto3Optional == true
        }
    }

    private func containingMessage(of entry: FieldEntry) throws(SchemaError) -> Int {
        if !entry.isExtension, let parent = entry.parent { return parent }
        return try message(entry.proto.extendee, from: entry.fullName, file: entry.file)
    }

    /// The type, and the index of the message or the enum.
    private func type(of entry: FieldEntry) throws(SchemaError) -> (FieldType, Int) {
        let proto = entry.proto
        let declared = proto.type.flatMap { FieldType(rawValue: UInt8(clamping: $0.rawValue)) }
        guard let name = proto.typeName, !name.isEmpty else {
            guard let declared, !declared.isMessage, declared != .enumeration else {
                throw error(entry.file, entry.fullName, "it has no type")
            }
            return (declared, -1)
        }
        switch try symbol(name, from: entry.fullName, file: entry.file) {
        case .message(let index):
            guard declared == nil || declared?.isMessage == true else { break }
            let type = declared ?? .message
            if isMapEntry(index) {
                guard type == .message, isMapField(entry, of: index) else {
                    throw mapEntryError(entry.file, entry.fullName, name)
                }
                return (type, index)
            }
            let isDelimited = entry.features.delimitsMessages && declared != .group
            let isInMap = entry.parent.map(isMapEntry) ?? false
            return (isDelimited && !isInMap ? .group : type, index)
        case .enumeration(let index):
            guard declared == nil || declared == .enumeration else { break }
            return (.enumeration, index)
        case nil:
            throw error(
                entry.file, entry.fullName,
                "unknown type '\(name)'; add the file that declares it")
        default: break
        }
        throw error(entry.file, entry.fullName, "'\(name)' is not a type of its kind")
    }

    private func isMapEntry(_ message: Int) -> Bool {
        messages[message].proto.options?.mapEntry == true
    }

    /// Whether the field is a map with these entries. Compilers declare the entries in the message that has the
    /// field. The name of the entries is not checked, because protobuf.js chooses another name than protoc.
    private func isMapField(_ field: FieldEntry, of entry: Int) -> Bool {
        !field.isExtension && field.proto.label == .repeated
            && messages[entry].parent == field.parent
    }

    private func mapEntryError(_ file: Int, _ user: String, _ name: String) -> SchemaError {
        error(file, user, "'\(name)' is the type of a map's entries and cannot be used")
    }

    /// Whether the field looks like a group: it is delimited, and its name is the lower-case name of a message that is
    /// declared in the same scope.
    private func isGroupLike(_ entry: FieldEntry, _ type: FieldType, _ target: Int) -> Bool {
        guard type == .group, let name = messages[target].proto.name else { return false }
        return entry.proto.name == name.lowercased() && messages[target].file == entry.file
            && messages[target].parent == entry.parent
    }

    private mutating func register(extension index: Int) throws(SchemaError) {
        let entry = fields[index]
        let number = layouts[index].number
        let ranges = messages[entry.message].extensionRanges
        guard ranges.range(with: Int32(number)) != nil else {
            throw error(
                entry.file, entry.fullName,
                "\(number) is not an extension number of \(messages[entry.message].fullName)")
        }
        if let old = messages[entry.message].extensionsByNumber.updateValue(index, forKey: number) {
            throw error(
                entry.file, entry.fullName,
                "it has the number of \(fields[old].fullName), \(number)")
        }
    }
}
