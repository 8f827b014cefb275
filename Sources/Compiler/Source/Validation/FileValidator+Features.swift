import SwiftletMessages

// Only editions have features. The targets and editions of features are checked with those of other options.
extension FileValidator {
    typealias Features = Google.Protobuf.FeatureSet

    func validateFeatures(_ descriptor: Google.Protobuf.FileDescriptorProto) {
        var checker = FeatureUseChecker(file, declared)
        var copy = descriptor
        checker.visitAll(of: &copy)
        if descriptor.options?.features?.fieldPresence == .legacyRequired {
            file.fail(
                "fields cannot be required by default", at: [PathNumber.File.options])
        }
        if descriptor.options?.javaStringCheckUtf8 != nil, file.isEditions {
            file.fail(
                """
                'java_string_check_utf8' is not allowed in editions; use \
                features.(pb.java).utf8_validation
                """, at: [PathNumber.File.options])
        }
    }
}

extension FileValidator {
    /// Reports exported types inside the message if the file has the visibility `STRICT`, which keeps them local.
    func validateVisibility(of message: Message, at path: ProtoPath) {
        guard file.features.defaultSymbolVisibility == .strict else { return }
        for (index, nested) in message.nestedType.enumerated()
        where nested.visibility == .export {
            file.fail(
                "a nested message cannot be exported with STRICT default_symbol_visibility",
                at: path + [PathNumber.Message.nestedType, Int32(index), PathNumber.name])
        }
        let range = message.reservedRange.first
        let isNamespace =
            path.count == 2 && message.visibility != .export
            && message.reservedRange.count == 1 && range?.start == 1
            && range?.end == NumberRange.maxFieldNumber + 1
        guard !isNamespace else { return }
        for (index, type) in message.enumType.enumerated()
        where type.visibility == .export {
            file.fail(
                """
                a nested enum cannot be exported with STRICT default_symbol_visibility, except in a \
                local message that is not nested and has 'reserved 1 to max;'
                """, at: path + [PathNumber.Message.enumeration, Int32(index), PathNumber.name])
        }
    }
}

/// Checks the features of all declarations.
private struct FeatureUseChecker: OptionsVisitor {
    private typealias Features = Google.Protobuf.FeatureSet

    private let file: LinkedFile
    private let declared: Declarer

    init(_ file: LinkedFile, _ declared: Declarer) {
        self.file = file
        self.declared = declared
    }

    mutating func visit<Options: ProtoOptions>(
        _ options: inout Options?, in scope: String, at path: ProtoPath
    ) {
        guard let features = options?.features else { return }
        guard file.isEditions else {
            return file.fail("features are only for editions", at: path)
        }
        if features.hasUnknownValue {
            file.fail("a feature cannot be set to an UNKNOWN value", at: path)
        }
        if Options.messageName == Google.Protobuf.FieldOptions.messageName,
            let field = declared.fields[Array(path.dropLast())]
        {
            validate(features, of: field, at: path)
        }
    }

    private func validate(_ features: Features, of field: LinkedField, at path: ProtoPath) {
        if field.container?.isMapEntry == true { return }
        if let presence = features.fieldPresence {
            if field.isRepeated {
                file.fail("a repeated field has no presence", at: path)
            } else if field.oneofIndex != nil {
                file.fail("the presence of a field in a oneof cannot be set", at: path)
            } else if field.isExtension {
                file.fail("the presence of an extension cannot be set", at: path)
            } else if field.message != nil, presence == .implicit {
                file.fail("a message has explicit presence", at: path)
            }
        }
        let isMap = field.message?.isMapEntry == true
        if features.utf8Validation != nil, field.type != .string, !isMap {
            file.fail("'utf8_validation' is only for strings", at: path)
        }
        if features.messageEncoding != nil, field.message == nil || isMap {
            file.fail("'message_encoding' is only for messages", at: path)
        }
        if let encoding = features.repeatedFieldEncoding {
            if !field.isRepeated {
                file.fail("'repeated_field_encoding' is only for repeated fields", at: path)
            } else if encoding == .packed, field.type?.isPackable != true {
                file.fail("only repeated numbers can be packed", at: path)
            }
        }
    }
}

extension Google.Protobuf.FeatureSet {
    fileprivate var hasUnknownValue: Bool {
        fieldPresence == .unknown || enumType == .unknown || repeatedFieldEncoding == .unknown
            || utf8Validation == .unknown || messageEncoding == .unknown || jsonFormat == .unknown
            || enforceNamingStyle == .unknown || defaultSymbolVisibility == .unknown
    }
}
