import SwiftletMessages

/// Declares the names of a file, and collects its types in the order of the file.
struct Declarer {
    typealias Message = Google.Protobuf.DescriptorProto
    typealias Enum = Google.Protobuf.EnumDescriptorProto
    typealias Field = Google.Protobuf.FieldDescriptorProto

    private let file: LinkedFile
    private let symbols: SymbolTable
    /// All declared messages, keyed by the path of the declaration.
    private(set) var messages: [ProtoPath: LinkedMessage] = [:]
    private(set) var enums: [ProtoPath: LinkedEnum] = [:]
    private(set) var fields: [ProtoPath: LinkedField] = [:]

    init(_ file: LinkedFile, _ symbols: SymbolTable) {
        self.file = file
        self.symbols = symbols
        declareFile()
    }

    private mutating func declareFile() {
        if let conflict = symbols.declare(package: file.package, in: file) {
            file.fail(
                """
                the package '\(conflict.name)' is already declared in \
                '\(conflict.symbol.file.name)' as something else
                """, at: [PathNumber.File.package])
        }
        let descriptor = file.descriptor
        let scope = file.package
        for (index, message) in descriptor.messageType.enumerated() {
            declare(message, in: scope, at: [PathNumber.File.message, Int32(index)])
        }
        for (index, type) in descriptor.enumType.enumerated() {
            declare(type, in: scope, at: [PathNumber.File.enumeration, Int32(index)])
        }
        for (index, field) in descriptor.extension.enumerated() {
            _ = declare(field, in: scope, at: [PathNumber.File.extension, Int32(index)])
        }
        for (index, service) in descriptor.service.enumerated() {
            declare(service, in: scope, at: [PathNumber.File.service, Int32(index)])
        }
    }

    private mutating func declare(_ message: Message, in scope: String, at path: ProtoPath) {
        let name = Self.join(scope, message.name)
        // The names inside the message would be longer still.
        guard isLegal(name, at: path) else { return }
        let linked = LinkedMessage(message, fullName: name, in: file)
        messages[path] = linked
        declare(name, .message(linked), at: path)
        for (index, field) in message.field.enumerated() {
            let field = declare(
                field, in: name, at: path + [PathNumber.Message.field, Int32(index)])
            field.container = linked
            linked.fields.append(field)
        }
        for (index, oneof) in message.oneofDecl.enumerated() {
            let path = path + [PathNumber.Message.oneof, Int32(index)]
            declare(Self.join(name, oneof.name), .oneof, at: path)
        }
        for (index, nested) in message.nestedType.enumerated() {
            declare(nested, in: name, at: path + [PathNumber.Message.nestedType, Int32(index)])
        }
        for (index, type) in message.enumType.enumerated() {
            declare(type, in: name, at: path + [PathNumber.Message.enumeration, Int32(index)])
        }
        for (index, field) in message.extension.enumerated() {
            let path = path + [PathNumber.Message.extension, Int32(index)]
            linked.extensions.append(declare(field, in: name, at: path))
        }
    }

    private mutating func declare(
        _ field: Field, in scope: String, at path: ProtoPath
    ) -> LinkedField {
        let name = Self.join(scope, field.name)
        let linked = LinkedField(field, fullName: name, in: file)
        fields[path] = linked
        declare(name, .field(linked), at: path)
        return linked
    }

    private mutating func declare(_ type: Enum, in scope: String, at path: ProtoPath) {
        let name = Self.join(scope, type.name)
        let linked = LinkedEnum(type, fullName: name, in: file)
        enums[path] = linked
        declare(name, .enumeration(linked), at: path)
        for (index, value) in type.value.enumerated() {
            // As in C++, the values of an enum are siblings of the enum.
            declare(
                Self.join(scope, value.name), .enumValue,
                at: path + [PathNumber.Enum.value, Int32(index)])
        }
    }

    private func declare(
        _ service: Google.Protobuf.ServiceDescriptorProto, in scope: String, at path: ProtoPath
    ) {
        let name = Self.join(scope, service.name)
        declare(name, .service, at: path)
        for (index, method) in service.method.enumerated() {
            declare(
                Self.join(name, method.name), .method,
                at: path + [PathNumber.Service.method, Int32(index)])
        }
    }

    private func isLegal(_ name: String, at path: ProtoPath) -> Bool {
        guard let problem = ProtoName.problem(inFullName: name) else { return true }
        file.fail(problem, at: path + [PathNumber.name])
        return false
    }

    private func declare(_ name: String, _ kind: ProtoSymbol.Kind, at path: ProtoPath) {
        guard isLegal(name, at: path) else { return }
        let symbol = ProtoSymbol(kind: kind, file: file)
        guard let existing = symbols.declare(name, symbol) else { return }
        let place = existing.file === file ? "" : " in file '\(existing.file.name)'"
        var hint = ""
        if case .enumValue = kind {
            hint = "; the values of an enum share the scope that the enum is in"
        }
        file.fail("'\(name)' is already declared\(place)\(hint)", at: path + [PathNumber.name])
    }

    static func join(_ scope: String, _ name: String?) -> String {
        scope.isEmpty ? name ?? "" : scope + "." + (name ?? "")
    }
}
