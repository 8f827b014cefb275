import SwiftletMessages

/// Reports declarations that can be parsed, but that the language does not allow.
struct FileValidator {
    typealias Message = Google.Protobuf.DescriptorProto
    typealias Enum = Google.Protobuf.EnumDescriptorProto
    typealias Field = Google.Protobuf.FieldDescriptorProto

    let file: LinkedFile
    let declared: Declarer

    init(_ file: LinkedFile, _ declared: Declarer) {
        self.file = file
        self.declared = declared
    }

    func validate() {
        let descriptor = file.descriptor
        validateImports(descriptor)
        for (index, message) in descriptor.messageType.enumerated() {
            validate(message, at: [PathNumber.File.message, Int32(index)])
        }
        for (index, type) in descriptor.enumType.enumerated() {
            validate(type, at: [PathNumber.File.enumeration, Int32(index)])
        }
        for (index, field) in descriptor.extension.enumerated() {
            validate(field, at: [PathNumber.File.extension, Int32(index)])
        }
        validateFeatures(descriptor)
        if file.isEdition2024 { StyleValidator(file).validate() }
    }

    private func validateImports(_ descriptor: Google.Protobuf.FileDescriptorProto) {
        var names: Set<String> = []
        for (index, name) in descriptor.dependency.enumerated()
        where !names.insert(name).inserted {
            file.fail(
                "'\(name)' is imported twice", at: [PathNumber.File.dependency, Int32(index)])
        }
        for (index, name) in descriptor.optionDependency.enumerated()
        where !names.insert(name).inserted {
            file.fail(
                "'\(name)' is imported twice", at: [PathNumber.File.optionDependency, Int32(index)])
        }
        guard !file.isLite else { return }
        for (index, imported) in file.imports.enumerated() where imported.isLite {
            file.fail(
                """
                '\(imported.name)' is optimized for LITE_RUNTIME and can be imported only by \
                files that are, too
                """, at: [PathNumber.File.dependency, Int32(index)])
        }
    }

    // MARK: - Messages

    private func validate(_ message: Message, at path: ProtoPath) {
        if message.options?.mapEntry != true { validateNumbers(of: message, at: path) }
        validateJSONNames(of: message, at: path)
        let isMessageSet = message.options?.messageSetWireFormat == true
        if file.isProto3 {
            if isMessageSet {
                file.fail("message sets are not allowed in proto3", at: path + [PathNumber.name])
            }
            for index in message.extensionRange.indices {
                file.fail(
                    "extension ranges are not allowed in proto3",
                    at: path + [PathNumber.Message.extensionRange, Int32(index)])
            }
        }
        if isMessageSet, !message.field.isEmpty {
            file.fail(
                "a message set has extensions only, no fields", at: path + [PathNumber.name])
        }
        validateVisibility(of: message, at: path)
        validateDeclarations(of: message, at: path)
        validateOneofs(of: message, at: path)
        for (index, field) in message.field.enumerated() {
            validate(field, at: path + [PathNumber.Message.field, Int32(index)])
        }
        for (index, field) in message.extension.enumerated() {
            validate(field, at: path + [PathNumber.Message.extension, Int32(index)])
        }
        for (index, nested) in message.nestedType.enumerated() {
            validate(nested, at: path + [PathNumber.Message.nestedType, Int32(index)])
        }
        for (index, type) in message.enumType.enumerated() {
            validate(type, at: path + [PathNumber.Message.enumeration, Int32(index)])
        }
    }

    private func validateOneofs(of message: Message, at path: ProtoPath) {
        let used = Set(message.field.compactMap(\.oneofIndex))
        for (index, oneof) in message.oneofDecl.enumerated() where !used.contains(Int32(index)) {
            file.fail(
                "the oneof '\(oneof.name ?? "")' needs at least one field",
                at: path + [PathNumber.Message.oneof, Int32(index), PathNumber.name])
        }
    }
}

extension LinkedFile {
    /// Whether generated code has no descriptors.
    var isLite: Bool { descriptor.options?.optimizeFor == .liteRuntime }
}
