import SwiftletMessages

/// Resolves the features of all declarations, and sets the properties of fields, enums and messages
/// that depend on them.
struct FeatureResolver {
    typealias Features = Google.Protobuf.FeatureSet

    private let file: LinkedFile
    private let declared: Declarer

    init(_ file: LinkedFile, _ declared: Declarer) {
        self.file = file
        self.declared = declared
    }

    func resolve() {
        let descriptor = file.descriptor
        let features = Features.defaults(of: file.edition)
            .overridden(by: descriptor.options?.features)
        file.features = features
        for (index, message) in descriptor.messageType.enumerated() {
            resolve(
                message, features, at: [PathNumber.File.message, Int32(index)], isNested: false)
        }
        for (index, type) in descriptor.enumType.enumerated() {
            resolve(
                type, features, at: [PathNumber.File.enumeration, Int32(index)], isNested: false)
        }
        for (index, field) in descriptor.extension.enumerated() {
            resolve(field, features, at: [PathNumber.File.extension, Int32(index)])
        }
    }

    private func resolve(
        _ message: Google.Protobuf.DescriptorProto, _ outer: Features, at path: ProtoPath,
        isNested: Bool
    ) {
        let features = outer.overridden(by: message.options?.features)
        declared.messages[path]?.isLocal = isLocal(message.visibility, isNested: isNested)
        declared.messages[path]?.isMessageSet = message.options?.messageSetWireFormat == true
        declared.messages[path]?.features = features
        // The ranges are set again, because their options were interpreted after they were set
        // first.
        declared.messages[path]?.extensionRanges = ExtensionRanges(message.extensionRange)
        for (index, field) in message.field.enumerated() {
            let oneof = field.oneofIndex.map { message.oneofDecl[Int($0)].options?.features }
            resolve(
                field, features.overridden(by: oneof ?? nil),
                at: path + [PathNumber.Message.field, Int32(index)])
        }
        for (index, field) in message.extension.enumerated() {
            resolve(field, features, at: path + [PathNumber.Message.extension, Int32(index)])
        }
        for (index, type) in message.enumType.enumerated() {
            resolve(
                type, features, at: path + [PathNumber.Message.enumeration, Int32(index)],
                isNested: true)
        }
        for (index, nested) in message.nestedType.enumerated() {
            resolve(
                nested, features, at: path + [PathNumber.Message.nestedType, Int32(index)],
                isNested: true)
        }
    }

    private func resolve(
        _ type: Google.Protobuf.EnumDescriptorProto, _ outer: Features, at path: ProtoPath,
        isNested: Bool
    ) {
        let features = outer.overridden(by: type.options?.features)
        declared.enums[path]?.values = type.value
        declared.enums[path]?.isClosed = features.enumType == .closed
        declared.enums[path]?.isLocal = isLocal(type.visibility, isNested: isNested)
    }

    private func resolve(
        _ field: Google.Protobuf.FieldDescriptorProto, _ outer: Features, at path: ProtoPath
    ) {
        guard let linked = declared.fields[path] else { return }
        let features = outer.overridden(by: field.options?.features)
        linked.targets = Set(field.options?.targets ?? [])
        linked.featureSupport = field.options?.featureSupport
        let isPackable = linked.isRepeated && field.type?.isPackable == true
        linked.isPacked =
            isPackable && (field.options?.packed ?? (features.repeatedFieldEncoding == .packed))
        let isMessage = linked.message != nil && linked.message?.isMapEntry != true
        linked.isDelimited =
            field.type == .group || (isMessage && features.messageEncoding == .delimited)
        linked.isRequired = field.label == .required || features.fieldPresence == .legacyRequired
        linked.isImplicit =
            features.fieldPresence == .implicit && linked.message == nil && !linked.isRepeated
            && !linked.isExtension && field.oneofIndex == nil
        linked.verifiesUTF8 = field.type == .string && features.utf8Validation == .verify
    }

    private func isLocal(_ visibility: Google.Protobuf.SymbolVisibility?, isNested: Bool) -> Bool {
        switch visibility {
        case Google.Protobuf.SymbolVisibility.local?: true
        case Google.Protobuf.SymbolVisibility.export?: false
        default:
            switch file.features.defaultSymbolVisibility {
            case Features.VisibilityFeature.DefaultSymbolVisibility.exportTopLevel?: isNested
            case Features.VisibilityFeature.DefaultSymbolVisibility.localAll?,
                Features.VisibilityFeature.DefaultSymbolVisibility.strict?:
                true
            default: false
            }
        }
    }
}

extension Google.Protobuf.FieldDescriptorProto.FieldType {
    /// Whether repeated values may be encoded after one tag.
    var isPackable: Bool {
        switch self {
        case .string, .bytes, .message, .group: false
        default: true
        }
    }
}
