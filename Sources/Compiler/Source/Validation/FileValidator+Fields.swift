import SwiftletMessages

// Fields and extensions.
extension FileValidator {
    func validate(_ field: Field, at path: ProtoPath) {
        guard let linked = declared.fields[path] else { return }
        validateMap(linked, at: path)
        validateDefault(of: field, linked, at: path)
        validateOptions(of: field, linked, at: path)
        if linked.isExtension { validateExtension(field, linked, at: path) }
        if file.isProto3 { validateProto3(field, linked, at: path) }
        if linked.isImplicit, linked.enumeration?.isClosed == true {
            file.fail(
                "'\(linked.fullName)' has no presence, so its enum must be open",
                at: path + [PathNumber.Field.typeName])
        }
    }

    private func validateProto3(_ field: Field, _ linked: LinkedField, at path: ProtoPath) {
        if field.label == .required {
            file.fail(
                "'required' is not allowed in proto3", at: path + [PathNumber.Field.label])
        }
        if field.type == .group {
            file.fail("groups are not allowed in proto3", at: path + [PathNumber.Field.type])
        }
        if field.defaultValue != nil {
            file.fail(
                "defaults are not allowed in proto3", at: path + [PathNumber.Field.defaultValue])
        }
        if let type = linked.enumeration, type.isClosed, !linked.isImplicit {
            file.fail(
                "the enum '\(type.fullName)' is closed and cannot be used in proto3",
                at: path + [PathNumber.Field.typeName])
        }
    }

    // MARK: - Maps

    private func validateMap(_ field: LinkedField, at path: ProtoPath) {
        guard let entry = field.message, entry.isMapEntry, let key = entry.field(named: "key"),
            let value = entry.field(named: "value")
        else { return }
        let place = path + [PathNumber.Field.typeName]
        if key.message != nil || key.enumeration != nil {
            file.fail("the keys of a map are integers, strings or bools", at: place)
        }
        switch key.type {
        case LinkedField.FieldType.float?, LinkedField.FieldType.double?,
            LinkedField.FieldType.bytes?, LinkedField.FieldType.group?:
            file.fail("the keys of a map are integers, strings or bools", at: place)
        default: break
        }
        if value.type == .group { file.fail("the values of a map cannot be groups", at: place) }
        if let type = value.enumeration, type.values.first?.number != 0 {
            file.fail("the first value of an enum in a map is 0", at: place)
        }
    }

    // MARK: - Defaults

    private func validateDefault(of field: Field, _ linked: LinkedField, at path: ProtoPath) {
        guard let text = field.defaultValue else { return }
        let place = path + [PathNumber.Field.defaultValue]
        if linked.isRepeated { file.fail("a repeated field has no default", at: place) }
        if linked.message != nil { file.fail("a message has no default", at: place) }
        if linked.isImplicit, !file.isProto3 {
            file.fail("a field without presence has no default", at: place)
        }
        if let type = linked.enumeration, type.number(of: text) == nil {
            file.fail("the enum '\(type.fullName)' has no value '\(text)'", at: place)
        }
    }

    // MARK: - Options

    private func validateOptions(of field: Field, _ linked: LinkedField, at path: ProtoPath) {
        guard let options = field.options else { return }
        let isPackable = linked.isRepeated && field.type?.isPackable == true
        if options.packed == true, !isPackable {
            file.fail("'packed' is only for repeated numbers", at: path + [PathNumber.Field.type])
        }
        if options.packed != nil, file.isEditions {
            file.fail(
                "'packed' is not allowed in editions; use features.repeated_field_encoding",
                at: path + [PathNumber.name])
        }
        if options.lazy == true || options.unverifiedLazy == true, field.type != .message {
            file.fail("'lazy' is only for messages", at: path + [PathNumber.Field.type])
        }
        if options.unverifiedLazy == true, linked.isExtension {
            file.fail(
                "'unverified_lazy' is not for extensions", at: path + [PathNumber.Field.type])
        }
        if options.ctype != nil, file.isEdition2024 {
            file.fail(
                "'ctype' is not allowed from edition 2024 on; use features.(pb.cpp).string_type",
                at: path + [PathNumber.name])
        }
        validateJSType(options.jstype, field, at: path)
    }

    private func validateJSType(
        _ type: Google.Protobuf.FieldOptions.JSType?, _ field: Field, at path: ProtoPath
    ) {
        guard let type, type != .normal else { return }
        switch field.type {
        case LinkedField.FieldType.int64?, LinkedField.FieldType.uint64?,
            LinkedField.FieldType.sint64?, LinkedField.FieldType.fixed64?,
            LinkedField.FieldType.sfixed64?:
            break
        default:
            file.fail("'jstype' is only for 64-bit integers", at: path + [PathNumber.Field.type])
        }
    }

    // MARK: - Extensions

    private func validateExtension(_ field: Field, _ linked: LinkedField, at path: ProtoPath) {
        let isMessageSet = linked.container?.isMessageSet == true
        validateNumber(
            linked.number, at: path + [PathNumber.Field.number],
            max: isMessageSet ? .max : NumberRange.maxFieldNumber)
        if linked.isRequired {
            file.fail("an extension cannot be required", at: path + [PathNumber.Field.label])
        }
        if isMessageSet, linked.isRepeated || field.type != .message {
            file.fail(
                "the extensions of a message set are optional messages",
                at: path + [PathNumber.Field.type])
        }
        if field.jsonName != JSONName.ofField(field.name ?? "") {
            file.fail(
                "'json_name' is not allowed on extensions", at: path + [PathNumber.Field.jsonName])
        }
        if file.isProto3, linked.container?.isOptions != true {
            file.fail(
                "extensions in proto3 only declare options",
                at: path + [PathNumber.Field.extendee])
        }
        if file.isLite, linked.container?.file.isLite == false {
            file.fail(
                "a file for LITE_RUNTIME cannot extend a message of a file that is not",
                at: path + [PathNumber.Field.extendee])
        }
        validateDeclaration(of: field, linked, at: path)
    }

    /// Reports an extension that differs from the declaration in its extension range. As in protoc, those of
    /// descriptor.proto are not enforced: features are registered there later than this compiler knows.
    private func validateDeclaration(
        of field: Field, _ linked: LinkedField, at path: ProtoPath
    ) {
        guard let container = linked.container,
            !DeclaredName.isSame(container.file.name, "google/protobuf/descriptor.proto"),
            let options = container.extensionRanges.range(with: linked.number)?.options
        else { return }
        let place = path + [PathNumber.Field.number]
        guard let declaration = container.declaration(of: linked.number) else {
            if options.verification == .declaration || !options.declaration.isEmpty {
                file.fail("the extension range does not declare \(linked.number)", at: place)
            }
            return
        }
        if declaration.reserved == true {
            return file.fail("the extension range reserves \(linked.number)", at: place)
        }
        if let name = declaration.fullName,
            !DeclaredName.isSame(name, "." + linked.fullName)
        {
            file.fail("the extension range declares \(linked.number) as '\(name)'", at: place)
        }
        let type = field.typeName ?? field.type.flatMap(\.spelling)
        if let wanted = declaration.type, !(type.map { DeclaredName.isSame(wanted, $0) } ?? false) {
            file.fail(
                "the extension range declares \(linked.number) with the type '\(wanted)'", at: place
            )
        }
        if (declaration.repeated ?? false) != linked.isRepeated {
            file.fail(
                """
                the extension range declares \(linked.number) as \
                \(declaration.repeated == true ? "repeated" : "optional")
                """, at: place)
        }
    }
}

extension LinkedMessage {
    /// Whether extensions of the message are custom options.
    fileprivate var isOptions: Bool {
        switch fullName {
        case "google.protobuf.FileOptions", "google.protobuf.MessageOptions",
            "google.protobuf.FieldOptions", "google.protobuf.OneofOptions",
            "google.protobuf.ExtensionRangeOptions", "google.protobuf.EnumOptions",
            "google.protobuf.EnumValueOptions", "google.protobuf.ServiceOptions",
            "google.protobuf.MethodOptions", "google.protobuf.FeatureSet",
            "google.protobuf.StreamOptions", "google.protobuf.SourceCodeInfo",
            "google.protobuf.FileDescriptorSet":
            true
        default: false
        }
    }
}

extension Google.Protobuf.FieldDescriptorProto.FieldType {
    /// The keyword of the type; nil for messages, groups and enums.
    fileprivate var spelling: String? {
        Self.scalars.first { $0.value == self && $0.key != "group" }?.key
    }
}
