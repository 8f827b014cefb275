import SwiftletMessages

// The first pass: every declaration gets its full name and its index.
extension SchemaBuilder {
    mutating func declare(
        message proto: Proto.DescriptorProto, _ position: Int, in scope: Scope
    ) throws(SchemaError) -> Int {
        let fullName = try name(proto.name, in: scope.name, file: scope.file)
        let index = messages.count
        try claim(fullName, .message(index), in: scope.file)
        let features = scope.features.overridden(by: proto.options?.features)
        messages.append(
            MessageEntry(
                proto: proto, fullName: fullName, file: scope.file, parent: scope.message,
                position: position, features: features,
                extensionRanges: try checkedRanges(of: proto, fullName, scope)))
        let inner = Scope(name: fullName, file: scope.file, message: index, features: features)

        let firstOneof = oneofs.count
        for (position, each) in proto.oneofDecl.enumerated() {
            try declare(oneof: each, position, in: inner)
        }
        messages[index].oneofs = firstOneof..<oneofs.count

        let firstField = fields.count
        // The file that declares an extension declares it once more.
        for (position, each) in proto.field.enumerated()
        where !ProtoName.isExtensionField(each.name) {
            _ = try declare(
                field: each, position, in: try inOneof(each, inner, firstOneof),
                isExtension: false)
        }
        messages[index].fields = firstField..<fields.count

        for (position, each) in proto.nestedType.enumerated() {
            let nested = try declare(message: each, position, in: inner)
            messages[index].messages.append(nested)
        }
        for (position, each) in proto.enumType.enumerated() {
            messages[index].enums.append(try declare(enum: each, position, in: inner))
        }
        for (position, each) in proto.extension.enumerated() {
            messages[index].extensions.append(
                try declare(field: each, position, in: inner, isExtension: true))
        }
        return index
    }

    /// Checks the reserved ranges and the extension ranges of a message, and returns the extension ranges.
    private func checkedRanges(
        of proto: Proto.DescriptorProto, _ fullName: String, _ scope: Scope
    ) throws(SchemaError) -> ExtensionRanges {
        for range in proto.reservedRange {
            let (start, end) = (range.start ?? 0, range.end ?? 0)
            // protobuf.js writes the last number of a range as its end. A range of one number is then empty.
            if start == end, start > 0 { continue }
            if let problem = NumberRange.problem(from: start, until: end) {
                throw error(scope.file, fullName, problem)
            }
        }
        let isMessageSet = proto.options?.messageSetWireFormat == true
        for range in proto.extensionRange {
            let (start, end) = (range.start ?? 0, range.end ?? 0)
            if start == end, start > 0 { continue }
            let problem = NumberRange.problem(
                ofExtensionsFrom: start, until: end, inMessageSet: isMessageSet)
            if let problem { throw error(scope.file, fullName, problem) }
        }
        let ranges = ExtensionRanges(proto.extensionRange)
        if let (one, other) = ranges.overlap {
            throw error(
                scope.file, fullName,
                "the extension ranges from \(one.start ?? 0) and from \(other.start ?? 0) overlap")
        }
        return ranges
    }

    /// A field of a oneof inherits the oneof's features.
    private func inOneof(
        _ proto: Proto.FieldDescriptorProto, _ scope: Scope, _ firstOneof: Int
    ) throws(SchemaError) -> Scope {
        guard let oneof = proto.oneofIndex else { return scope }
        let index = firstOneof + Int(oneof)
        guard oneof >= 0, oneofs.indices.contains(index) else {
            throw error(
                scope.file, Self.join(scope.name, proto.name ?? ""),
                "it belongs to oneof \(oneof), which the message does not have")
        }
        var scope = scope
        scope.features = scope.features.overridden(by: oneofs[index].proto.options?.features)
        return scope
    }

    private mutating func declare(
        oneof proto: Proto.OneofDescriptorProto, _ position: Int, in scope: Scope
    ) throws(SchemaError) {
        let fullName = try name(proto.name, in: scope.name, file: scope.file)
        try claim(fullName, .oneof(oneofs.count), in: scope.file)
        oneofs.append(
            OneofEntry(
                proto: proto, fullName: fullName, message: scope.message ?? 0, position: position))
    }

    mutating func declare(
        field proto: Proto.FieldDescriptorProto, _ position: Int, in scope: Scope,
        isExtension: Bool
    ) throws(SchemaError) -> Int {
        let fullName = try name(proto.name, in: scope.name, file: scope.file)
        let index = fields.count
        try claim(fullName, .field(index), in: scope.file)
        var features = scope.features.overridden(by: proto.options?.features)
        features.adopt(proto)
        let jsonName = proto.jsonName ?? JSONName.ofField(proto.name ?? "")
        guard DeclaredName.canBeKey(jsonName) else {
            throw error(
                scope.file, fullName,
                """
                the name in JSON has more than \(DeclaredName.maxByteCount) bytes or \
                \(CombiningMarks.maxRun) combining marks in a row
                """
            )
        }
        fields.append(
            FieldEntry(
                proto: proto, fullName: fullName,
                jsonName: isExtension ? "[\(fullName)]" : jsonName, file: scope.file,
                parent: scope.message, position: position, isExtension: isExtension,
                features: features))
        return index
    }

    mutating func declare(
        enum proto: Proto.EnumDescriptorProto, _ position: Int, in scope: Scope
    ) throws(SchemaError) -> Int {
        let fullName = try name(proto.name, in: scope.name, file: scope.file)
        let index = enums.count
        try claim(fullName, .enumeration(index), in: scope.file)
        let features = scope.features.overridden(by: proto.options?.features)
        guard !proto.value.isEmpty else { throw error(scope.file, fullName, "it has no value") }
        for range in proto.reservedRange {
            let problem = NumberRange.problem(from: range.start ?? 0, through: range.end ?? 0)
            if let problem { throw error(scope.file, fullName, problem) }
        }
        var entry = EnumEntry(
            proto: proto, fullName: fullName, file: scope.file, parent: scope.message,
            position: position, isClosed: features.hasClosedEnums)
        for (position, value) in proto.value.enumerated() {
            // A value is a sibling of its enum, as in C++.
            try claim(
                try name(value.name, in: scope.name, file: scope.file), .enumValue(index),
                in: scope.file)
            let number = value.number ?? 0
            entry.numbers[value.name ?? ""] = number
            if entry.positions[number] == nil {
                entry.positions[number] = position
            } else if proto.options?.allowAlias != true {
                throw error(
                    scope.file, Self.join(fullName, value.name ?? ""),
                    "another value has number \(number), and the enum does not allow aliases")
            }
        }
        enums.append(entry)
        return index
    }

    mutating func declare(
        service proto: Proto.ServiceDescriptorProto, _ position: Int, in scope: Scope
    ) throws(SchemaError) -> Int {
        let fullName = try name(proto.name, in: scope.name, file: scope.file)
        let index = services.count
        try claim(fullName, .service(index), in: scope.file)
        let first = methods.count
        for (position, each) in proto.method.enumerated() {
            let method = try name(each.name, in: fullName, file: scope.file)
            try claim(method, .method(methods.count), in: scope.file)
            methods.append(
                MethodEntry(proto: each, fullName: method, service: index, position: position))
        }
        services.append(
            ServiceEntry(
                proto: proto, fullName: fullName, file: scope.file, position: position,
                methods: first..<methods.count))
        return index
    }
}
