import SwiftletMessages

/// Checks names against the style that edition 2024 requires.
struct StyleValidator {
    typealias Features = Google.Protobuf.FeatureSet

    private let file: LinkedFile

    private enum Style {
        case lowerSnake
        case upperSnake
        case title

        var example: String {
            switch self {
            case .lowerSnake: "lower_snake_case"
            case .upperSnake: "UPPER_SNAKE_CASE"
            case .title: "TitleCase"
            }
        }
    }

    init(_ file: LinkedFile) { self.file = file }

    func validate() {
        let descriptor = file.descriptor
        if isEnforced(file.features), !file.package.isEmpty {
            check(file.package, .lowerSnake, at: [PathNumber.File.package])
        }
        for (index, message) in descriptor.messageType.enumerated() {
            validate(message, file.features, at: [PathNumber.File.message, Int32(index)])
        }
        for (index, type) in descriptor.enumType.enumerated() {
            validate(type, file.features, at: [PathNumber.File.enumeration, Int32(index)])
        }
        validate(descriptor.extension, file.features, at: [PathNumber.File.extension])
        for (index, service) in descriptor.service.enumerated() {
            let path = [PathNumber.File.service, Int32(index)]
            let features = file.features.overridden(by: service.options?.features)
            check(service.name, .title, features, at: path)
            for (index, method) in service.method.enumerated() {
                check(
                    method.name, .title, features.overridden(by: method.options?.features),
                    at: path + [PathNumber.Service.method, Int32(index)])
            }
        }
    }

    private func validate(
        _ message: Google.Protobuf.DescriptorProto, _ outer: Features, at path: ProtoPath
    ) {
        guard message.options?.mapEntry != true else { return }
        let features = outer.overridden(by: message.options?.features)
        check(message.name, .title, features, at: path)
        validate(message.field, features, at: path + [PathNumber.Message.field])
        validate(message.extension, features, at: path + [PathNumber.Message.extension])
        for (index, oneof) in message.oneofDecl.enumerated() {
            check(
                oneof.name, .lowerSnake, features.overridden(by: oneof.options?.features),
                at: path + [PathNumber.Message.oneof, Int32(index)])
        }
        for (index, nested) in message.nestedType.enumerated() {
            validate(nested, features, at: path + [PathNumber.Message.nestedType, Int32(index)])
        }
        for (index, type) in message.enumType.enumerated() {
            validate(type, features, at: path + [PathNumber.Message.enumeration, Int32(index)])
        }
    }

    private func validate(
        _ fields: [Google.Protobuf.FieldDescriptorProto], _ outer: Features, at path: ProtoPath
    ) {
        for (index, field) in fields.enumerated() {
            check(
                field.name, .lowerSnake, outer.overridden(by: field.options?.features),
                at: path + [Int32(index)])
        }
    }

    private func validate(
        _ type: Google.Protobuf.EnumDescriptorProto, _ outer: Features, at path: ProtoPath
    ) {
        let features = outer.overridden(by: type.options?.features)
        check(type.name, .title, features, at: path)
        for (index, value) in type.value.enumerated() {
            check(
                value.name, .upperSnake, features.overridden(by: value.options?.features),
                at: path + [PathNumber.Enum.value, Int32(index)])
        }
    }

    // MARK: - Names

    private func isEnforced(_ features: Features) -> Bool {
        features.enforceNamingStyle == .style2024
    }

    private func check(
        _ name: String?, _ style: Style, _ features: Features, at path: ProtoPath
    ) {
        if isEnforced(features) { check(name ?? "", style, at: path + [PathNumber.name]) }
    }

    private func check(_ name: String, _ style: Style, at path: ProtoPath) {
        guard !Self.follows(style, Array(name.utf8)) else { return }
        file.fail(
            """
            '\(name)' should be \(style.example); set features.enforce_naming_style = \
            STYLE_LEGACY to allow it
            """, at: path)
    }

    private static func follows(_ style: Style, _ name: [UInt8]) -> Bool {
        guard let first = name.first else { return false }
        switch style {
        case .title:
            return first.isUpper && name.allSatisfy { $0.isUpper || $0.isLower || $0.isDigit }
        case .lowerSnake:
            return first.isLower && hasGoodUnderscores(name)
                && name.allSatisfy {
                    // Only packages have dots. As in protoc, the parts of their names are not checked alone.
                    $0.isLower || $0.isDigit || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: ".")
                }
        case .upperSnake:
            return first.isUpper && hasGoodUnderscores(name)
                && name.allSatisfy { $0.isUpper || $0.isDigit || $0 == UInt8(ascii: "_") }
        }
    }

    /// Whether a letter follows each underscore.
    private static func hasGoodUnderscores(_ name: [UInt8]) -> Bool {
        for index in name.indices where name[index] == UInt8(ascii: "_") {
            guard index + 1 < name.count, name[index + 1].isUpper || name[index + 1].isLower
            else { return false }
        }
        return true
    }
}

extension UInt8 {
    fileprivate var isUpper: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }
    fileprivate var isLower: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) }
}
