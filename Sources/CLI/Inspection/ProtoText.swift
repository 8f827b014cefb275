import Swiftlet
import SwiftletDynamic

/// Writes declarations in the language of `.proto` files, with their comments.
struct ProtoText {
    /// The package of the file. Names in this package are written without it.
    private let package: String
    private var text = ""
    private var depth = 0

    private init(package: String) { self.package = package }

    /// One declaration, with a newline at its end.
    static func text(of symbol: SchemaSymbol) -> String {
        switch symbol {
        case .service(let service): text(in: service.file) { $0.write(service) }
        case .method(let method): text(in: method.service.file) { $0.write(method) }
        case .message(let message): text(in: message.file) { $0.write(message) }
        case .field(let field): text(in: field.file) { $0.write(field) }
        case .enumeration(let enumeration): text(in: enumeration.file) { $0.write(enumeration) }
        }
    }

    private static func text(in file: FileSchema, _ write: (inout ProtoText) -> Void) -> String {
        var writer = ProtoText(package: file.package)
        write(&writer)
        return writer.text
    }
}

// MARK: - Declarations

extension ProtoText {
    private mutating func write(_ service: ServiceSchema) {
        declare("service \(service.name)", service.comments) { body in
            for method in service.methods { body.write(method) }
        }
    }

    private mutating func write(_ method: MethodSchema) {
        let input = (method.streamsRequests ? "stream " : "") + name(method.input.fullName)
        let output = (method.streamsResponses ? "stream " : "") + name(method.output.fullName)
        let isDeprecated = method.descriptor.options?.deprecated == true
        let end = isDeprecated ? " { option deprecated = true; }" : ";"
        line("rpc \(method.name)(\(input)) returns (\(output))\(end)", method.comments)
    }

    private mutating func write(_ message: MessageSchema) {
        declare("message \(message.name)", message.comments) { $0.writeBody(of: message) }
    }

    private mutating func writeBody(of message: MessageSchema) {
        var writtenOneofs: Set<String> = []
        for field in message.fields {
            guard let oneof = field.oneof else {
                write(field)
                continue
            }
            guard writtenOneofs.insert(oneof.name).inserted else { continue }
            declare("oneof \(oneof.name)", oneof.comments) { body in
                for field in oneof.fields { body.write(field) }
            }
        }
        for range in message.descriptor.extensionRange {
            line("extensions \(range.start ?? 0) to \(Int64(range.end ?? 0) - 1);", .init())
        }
        writeReserved(message)
        for field in message.nestedExtensions { writeExtension(field) }
        for enumeration in message.enums { write(enumeration) }
        // A group is written at the place of its field.
        let groups = message.fields.filter(isWrittenAsGroup).compactMap(\.message)
        for nested in message.messages where !nested.isMapEntry && !groups.contains(nested) {
            write(nested)
        }
    }

    private mutating func writeReserved(_ message: MessageSchema) {
        let ranges = message.descriptor.reservedRange.map { range in
            let (start, last) = (Int64(range.start ?? 0), Int64(range.end ?? 0) - 1)
            return start == last ? "\(start)" : "\(start) to \(last)"
        }
        if !ranges.isEmpty { line("reserved \(ranges.joined(separator: ", "));", .init()) }
        let names = message.descriptor.reservedName.map { "\"\($0)\"" }
        if !names.isEmpty { line("reserved \(names.joined(separator: ", "));", .init()) }
    }

    private mutating func writeExtension(_ field: FieldSchema) {
        declare("extend \(name(field.containingMessage.fullName))", .init()) { $0.write(field) }
    }

    private mutating func write(_ enumeration: EnumSchema) {
        declare("enum \(enumeration.name)", enumeration.comments) { body in
            if enumeration.descriptor.options?.allowAlias == true {
                body.line("option allow_alias = true;", .init())
            }
            for value in enumeration.values {
                body.line("\(value.name) = \(value.number);", enumeration.comments(of: value))
            }
        }
    }
}

// MARK: - Fields

extension ProtoText {
    private mutating func write(_ field: FieldSchema) {
        let declaration = "\(label(of: field))\(type(of: field)) \(field.name) = \(field.number)"
        if isWrittenAsGroup(field), let message = field.message {
            return declare(
                "\(label(of: field))group \(message.name) = \(field.number)", field.comments
            ) { $0.writeBody(of: message) }
        }
        let options = options(of: field)
        line(
            declaration + (options.isEmpty ? "" : " [\(options.joined(separator: ", "))]") + ";",
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

    private func options(of field: FieldSchema) -> [String] {
        var options: [String] = []
        if field.hasExplicitDefault { options.append("default = \(defaultText(of: field))") }
        if let jsonName = field.descriptor.jsonName, !field.isExtension,
            jsonName != Self.camelCase(field.name)
        {
            options.append("json_name = \"\(jsonName)\"")
        }
        if let packed = field.descriptor.options?.packed { options.append("packed = \(packed)") }
        if field.descriptor.options?.deprecated == true { options.append("deprecated = true") }
        if field.type == .group { options.append("features.message_encoding = DELIMITED") }
        return options
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
        _ head: String, _ comments: SchemaComments, _ body: (inout ProtoText) -> Void
    ) {
        line(head + " {", comments)
        depth += 1
        body(&self)
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
        var lines = comment.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            var line = line
            while line.last == " " || line.last == "\r" { line.removeLast() }
            return line
        }
        while lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }

    private var indentation: String { String(repeating: "  ", count: depth) }
}
