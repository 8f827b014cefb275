extension FileSource {
    /// Writes a message with the types inside it.
    func write(_ message: MessageSchema, _ writer: inout SourceWriter) {
        let source = messageSource(message)
        writer.separate()
        writer.documentation(message.comments.documentationLines)
        writer.block("\(options.access)struct \(names.name(message)): Message") { writer in
            for enumeration in message.enums { write(enumeration, &writer) }
            for nested in message.messages where !nested.isMapEntry { write(nested, &writer) }
            for oneof in source.oneofs { write(oneof, &writer) }
            writer.separate()
            writeProperties(source, &writer)
            writeInitializers(source, &writer)
            writeName(message, &writer)
            writeLayout(source, &writer)
        }
    }

    private func messageSource(_ message: MessageSchema) -> MessageSource {
        MessageSource(
            message, scope: names.path(message), names, package: file.package,
            isRecursive: recursion.contains)
    }
}

// MARK: - Properties

extension FileSource {
    private func writeProperties(_ source: MessageSource, _ writer: inout SourceWriter) {
        for member in source.members {
            switch member {
            case .field(let field): write(field, &writer)
            case .oneof(let oneof):
                writer.documentation(oneof.schema.comments.documentationLines)
                writer.line("\(options.access)var \(oneof.identifier): \(oneof.type)?")
            }
        }
        writer.line("\(options.access)var unknownFields = UnknownFields()")
        for (field, _) in source.fields {
            guard let name = field.defaultName else { continue }
            writer.separate()
            writer.documentation(["The value of `\(field.name)` when it is absent."])
            writer.getter(
                "\(options.access)static var \(name): \(field.elementType)", field.defaultValue)
        }
    }

    private func write(_ field: FieldSource, _ writer: inout SourceWriter) {
        writer.documentation(field.documentation)
        writer.variable(
            "\(field.isBoxed ? "@Indirect " : "")\(options.access)var \(field.property)")
    }
}

// MARK: - Functions

extension FileSource {
    private func writeInitializers(_ source: MessageSource, _ writer: inout SourceWriter) {
        writer.separate()
        writer.line("\(options.access)init() {}")
        guard !source.members.isEmpty else { return }
        writer.separate()
        let parameters = source.members.map(\.parameter)
        writer.declaration("\(options.access)init", parameters)
        writer.body { writer in
            for member in source.members {
                writer.line("self.\(member.identifier) = \(member.identifier)")
            }
        }
    }

    private func writeName(_ message: MessageSchema, _ writer: inout SourceWriter) {
        writer.separate()
        writer.getter(
            "\(options.access)static var messageName: String",
            SwiftLiteral.quoted(message.fullName))
    }

    private func writeLayout(_ source: MessageSource, _ writer: inout SourceWriter) {
        writer.separate()
        // The compiler looks for a property `layout` in this constant too, before it knows the type of the constant.
        let isHidden = source.members.contains { $0.identifier == "layout" }
        let opening =
            "\(options.access)static let layout"
            + (isHidden ? ": Layout<Self> = Layout" : " = Layout<Self>")
        guard !source.fields.isEmpty else { return writer.line(opening + " { _ in }") }
        writer.line(opening + " { field in")
        writer.body { writer in
            let byNumber = source.fields.inOrder { $0.field.schema.number < $1.field.schema.number }
            for (field, oneof) in byNumber {
                if let oneof {
                    writer.oneof(field, in: oneof)
                } else {
                    let (function, arguments) = field.listed
                    writer.call("field.\(function)", arguments)
                }
            }
        }
    }

    private func write(_ oneof: OneofSource, _ writer: inout SourceWriter) {
        let isIndirect = oneof.fields.contains(where: \.isRecursive)
        writer.separate()
        let opening = "\(options.access)\(isIndirect ? "indirect " : "")enum \(oneof.type)"
        writer.block("\(opening): Equatable, Sendable") { writer in
            for field in oneof.fields {
                writer.documentation(field.schema.comments.documentationLines)
                writer.line("case \(field.identifier)(\(field.elementType))")
            }
        }
    }
}

extension SourceWriter {
    /// The call that lists a field of a oneof, with the two closures.
    fileprivate mutating func oneof(_ field: FieldSource, in oneof: OneofSource) {
        declaration(
            "field.oneof",
            [
                field.number, "\\.\(oneof.identifier)", field.kind,
                "\(oneof.type).\(field.identifier)",
            ])
        body { $0.line("if case .\(field.identifier)(let it) = $0 { it } else { nil }") }
    }
}
