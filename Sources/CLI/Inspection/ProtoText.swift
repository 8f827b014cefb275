import Swiftlet
import SwiftletDynamic

/// Writes declarations in the language of `.proto` files, with their comments.
struct ProtoText {
    /// The package of the file. Names in this package are written without it.
    private let package: String
    private let options: OptionsText
    private var text = ""
    private var depth = 0

    private init(package: String, options: OptionsText) {
        self.package = package
        self.options = options
    }

    /// One declaration, with a newline at its end. Throws if its options do not fit the schema.
    ///
    /// - Parameters:
    ///   - symbol: The declaration.
    ///   - options: The options of its schema.
    static func text(of symbol: SchemaSymbol, _ options: OptionsText) throws -> String {
        var writer = ProtoText(package: symbol.file.package, options: options)
        switch symbol {
        case .service(let service): try writer.write(service)
        case .method(let method): try writer.write(method)
        case .message(let message): try writer.write(message)
        case .field(let field): try writer.write(field)
        case .enumeration(let enumeration): try writer.write(enumeration)
        }
        return writer.text
    }

    /// The declarations with an empty line between them.
    static func text(of symbols: [SchemaSymbol], in schema: Schema) throws -> String {
        let options = try OptionsText(schema)
        return try symbols.map { try text(of: $0, options) }.joined(separator: "\n")
    }
}

// MARK: - Declarations

extension ProtoText {
    private mutating func write(_ service: ServiceSchema) throws {
        try declare(
            "service \(service.name)", service.comments, service.descriptor.options
        ) { body in
            for method in service.methods { try body.write(method) }
        }
    }

    private mutating func write(_ method: MethodSchema) throws {
        let input = (method.streamsRequests ? "stream " : "") + name(method.input.fullName)
        let output = (method.streamsResponses ? "stream " : "") + name(method.output.fullName)
        let head = "rpc \(method.name)(\(input)) returns (\(output))"
        let declared = try options.texts(of: method.descriptor.options)
        guard declared.count > 1 else {
            let end = declared.first.map { " { option \($0); }" } ?? ";"
            return line(head + end, method.comments)
        }
        try declare(head, method.comments, method.descriptor.options) { _ in }
    }

    private mutating func write(_ message: MessageSchema) throws {
        try declare(
            "message \(message.name)", message.comments, message.descriptor.options
        ) { try $0.writeBody(of: message) }
    }

    private mutating func writeBody(of message: MessageSchema) throws {
        var writtenOneofs: Set<String> = []
        for field in message.fields {
            guard let oneof = field.oneof else {
                try write(field)
                continue
            }
            guard writtenOneofs.insert(oneof.name).inserted else { continue }
            try declare("oneof \(oneof.name)", oneof.comments, oneof.descriptor.options) { body in
                for field in oneof.fields { try body.write(field) }
            }
        }
        for range in message.descriptor.extensionRange {
            let text = "extensions \(range.start ?? 0) to \(Int64(range.end ?? 0) - 1)"
            line(text + Self.list(try options.texts(of: range.options)) + ";", .init())
        }
        let reserved = message.descriptor
        // The end of a message's range is the first number after it.
        let ranges = reserved.reservedRange.map { ($0.start ?? 0, Int64($0.end ?? 0) - 1) }
        writeReserved(ranges, reserved.reservedName)
        for field in message.nestedExtensions { try writeExtension(field) }
        for enumeration in message.enums { try write(enumeration) }
        // A group is written at the place of its field.
        let groups = Set(message.fields.filter(isWrittenAsGroup).compactMap(\.message?.fullName))
        for nested in message.messages
        where !nested.isMapEntry && !groups.contains(nested.fullName) {
            try write(nested)
        }
    }

    private mutating func writeReserved(_ ranges: [(Int32, Int64)], _ names: [String]) {
        let ranges = ranges.map { start, last in
            Int64(start) == last ? "\(start)" : "\(start) to \(last)"
        }
        if !ranges.isEmpty { line("reserved \(ranges.joined(separator: ", "));", .init()) }
        let names = names.map { "\"\($0)\"" }
        if !names.isEmpty { line("reserved \(names.joined(separator: ", "));", .init()) }
    }

    private mutating func writeExtension(_ field: FieldSchema) throws {
        try declare(
            "extend \(name(field.containingMessage.fullName))", .init(), nil
        ) { try $0.write(field) }
    }

    private mutating func write(_ enumeration: EnumSchema) throws {
        let descriptor = enumeration.descriptor
        try declare(
            "enum \(enumeration.name)", enumeration.comments, descriptor.options
        ) { body in
            for (value, declared) in zip(enumeration.values, descriptor.value) {
                let list = Self.list(try body.options.texts(of: declared.options))
                body.line(
                    "\(value.name) = \(value.number)\(list);", enumeration.comments(of: value))
            }
            // The end of an enum's range is the last number in it.
            let ranges = descriptor.reservedRange.map { ($0.start ?? 0, Int64($0.end ?? 0)) }
            body.writeReserved(ranges, descriptor.reservedName)
        }
    }

    /// Options after a declaration, such as ` [deprecated = true]`; empty for none.
    private static func list(_ options: [String]) -> String {
        options.isEmpty ? "" : " [\(options.joined(separator: ", "))]"
    }
}

// MARK: - Fields

extension ProtoText {
    private mutating func write(_ field: FieldSchema) throws {
        let list = Self.list(try options(of: field))
        if isWrittenAsGroup(field), let message = field.message {
            let head = "\(label(of: field))group \(message.name) = \(field.number)\(list)"
            return try declare(
                head, field.comments, message.descriptor.options
            ) { try $0.writeBody(of: message) }
        }
        line(
            "\(label(of: field))\(type(of: field)) \(field.name) = \(field.number)\(list);",
            field.comments)
    }

    /// Whether the field has the syntax of a group, which declares its message at the place of the field. Other
    /// fields with the encoding of a group refer to a message, which can be one that contains the field.
    private func isWrittenAsGroup(_ field: FieldSchema) -> Bool {
        guard field.type == .group, let message = field.message else { return false }
        return isProto2(field) && message.parent == field.parent && message.file == field.file
            && field.name == message.name.lowercased()
    }

    private func isProto2(_ field: FieldSchema) -> Bool {
        (field.file.descriptor.syntax ?? "proto2") == "proto2"
    }

    private func label(of field: FieldSchema) -> String {
        if field.isMap || field.oneof != nil { return "" }
        if field.isList { return "repeated " }
        if field.isRequired { return "required " }
        let isOptional = isProto2(field) || field.descriptor.proto3Optional == true
        return isOptional ? "optional " : ""
    }

    private func type(of field: FieldSchema) -> String {
        if let key = field.mapKey, let value = field.mapValue {
            return "map<\(type(of: key)), \(type(of: value))>"
        }
        guard let declared = field.message?.fullName ?? field.enumeration?.fullName else {
            return field.type.name
        }
        // A type that is declared inside the message that declares the field needs no scope.
        let scope = (field.parent?.fullName ?? "") + "."
        return declared.hasPrefix(scope)
            ? String(declared.dropFirst(scope.count)) : name(declared)
    }

    private func options(of field: FieldSchema) throws -> [String] {
        var texts: [String] = []
        if field.hasExplicitDefault { texts.append("default = \(defaultText(of: field))") }
        if let jsonName = field.descriptor.jsonName, !field.isExtension,
            jsonName != Self.camelCase(field.name)
        {
            texts.append("json_name = \"\(jsonName)\"")
        }
        let declared = try options.texts(of: field.descriptor.options)
        let encoding = "features.message_encoding = DELIMITED"
        // The encoding of a group can also come from the options of the file.
        if field.type == .group, !isWrittenAsGroup(field), !declared.contains(encoding) {
            texts.append(encoding)
        }
        return texts + declared
    }

    private func defaultText(of field: FieldSchema) -> String {
        let text = field.descriptor.defaultValue ?? ""
        guard field.type == .string else { return field.type == .bytes ? "\"\(text)\"" : text }
        let escaped = text.unicodeScalars.map { $0.escaped(asASCII: false) }.joined()
        return "\"\(escaped)\""
    }

    /// The default JSON name of a field.
    private static func camelCase(_ name: String) -> String {
        var result = ""
        var startsWord = false
        for character in name {
            if character == "_" {
                startsWord = true
            } else {
                result += startsWord ? character.uppercased() : String(character)
                startsWord = false
            }
        }
        return result
    }

    /// A full name, without the package if the package is that of the file.
    private func name(_ fullName: String) -> String {
        guard !package.isEmpty, fullName.hasPrefix(package + ".") else { return fullName }
        return String(fullName.dropFirst(package.utf8.count + 1))
    }
}

// MARK: - Lines

extension ProtoText {
    private mutating func declare(
        _ head: String, _ comments: SchemaComments, _ declared: (any Message)?,
        _ body: (inout ProtoText) throws -> Void
    ) throws {
        line(head + " {", comments)
        depth += 1
        for option in try options.texts(of: declared) { line("option \(option);", .init()) }
        try body(&self)
        depth -= 1
        line("}", .init())
    }

    private mutating func line(_ content: String, _ comments: SchemaComments) {
        for block in comments.detached {
            write(commentLines: Self.lines(of: block))
            text += "\n"
        }
        write(commentLines: Self.lines(of: comments.leading ?? ""))
        let trailing = Self.lines(of: comments.trailing ?? "")
        guard trailing.count > 1 else {
            text += indentation + content + (trailing.first.map { "  //\($0)" } ?? "") + "\n"
            return
        }
        text += indentation + content + "\n"
        write(commentLines: trailing)
        // Without an empty line, the comment would belong to the next declaration.
        text += "\n"
    }

    private mutating func write(commentLines: [Substring]) {
        for line in commentLines { text += "\(indentation)//\(line)\n" }
    }

    /// The lines of a comment without spaces at their ends, and without empty lines at the end.
    private static func lines(of comment: String) -> [Substring] {
        let all = comment.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        var lines = all.map { line in
            var line = line
            while line.last == " " { line.removeLast() }
            return line
        }
        while lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }

    private var indentation: String { String(repeating: "  ", count: depth) }
}
