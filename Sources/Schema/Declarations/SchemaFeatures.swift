import SwiftletMessages

/// The features of a declaration. The file's syntax or edition and its `features` options set them.
///
/// proto2 and proto3 have fixed features. In an edition, each declaration inherits the features of
/// the declaration around it, and its own options override them.
public struct SchemaFeatures: Hashable, Sendable {
    public enum Presence: Sendable { case explicit, implicit, required }

    /// Whether a single field can be absent. Messages, and fields of a oneof, always can.
    public var presence: Presence
    /// Whether enums are closed: a number that is not declared becomes an unknown field.
    public var hasClosedEnums: Bool
    /// Whether lists of numbers are encoded packed.
    public var packsLists: Bool
    /// Whether a string must be UTF-8.
    public var validatesUTF8: Bool
    /// Whether messages are enclosed by a start tag and an end tag.
    public var delimitsMessages: Bool
    /// Whether `json_format` is ALLOW and not LEGACY_BEST_EFFORT, which tolerates conflicts of JSON
    /// names. JSON is supported with both values.
    public var checksJSON: Bool

    static let proto2 = SchemaFeatures(
        presence: .explicit, hasClosedEnums: true, packsLists: false, validatesUTF8: false,
        delimitsMessages: false, checksJSON: false)
    static let proto3 = SchemaFeatures(
        presence: .implicit, hasClosedEnums: false, packsLists: true, validatesUTF8: true,
        delimitsMessages: false, checksJSON: true)
    /// Edition 2023. Edition 2024 changes none of these.
    static let edition2023 = SchemaFeatures(
        presence: .explicit, hasClosedEnums: false, packsLists: true, validatesUTF8: true,
        delimitsMessages: false, checksJSON: true)
}

extension SchemaFeatures {
    /// The features of a file. Throws for a syntax or an edition that is not known.
    init(file: Google.Protobuf.FileDescriptorProto) throws(SchemaError) {
        let syntax = file.syntax ?? ""
        // A longer text is no syntax, and comparing it could take quadratic time.
        switch syntax.utf8.count <= 8 ? syntax : "longer" {
        case "", "proto2": self = .proto2
        case "proto3": self = .proto3
        case "editions":
            let edition = file.edition ?? .unknown
            guard edition == .edition2023 || edition == .edition2024 else {
                throw SchemaError(
                    file: file.name ?? "", declaration: file.name ?? "",
                    message: "unknown edition \(edition); editions 2023 and 2024 are supported")
            }
            self = .edition2023
        default:
            throw SchemaError(
                file: file.name ?? "", declaration: file.name ?? "",
                message: "unknown syntax '\(ProtoName.shown(syntax))'")
        }
        self = overridden(by: file.options?.features)
    }

    /// These features, in which the features that `set` contains are replaced.
    func overridden(by set: Google.Protobuf.FeatureSet?) -> SchemaFeatures {
        guard let set else { return self }
        var features = self
        switch set.fieldPresence {
        case .explicit: features.presence = .explicit
        case .implicit: features.presence = .implicit
        case .legacyRequired: features.presence = .required
        default: break
        }
        if let type = set.enumType, type != .unknown { features.hasClosedEnums = type == .closed }
        if let encoding = set.repeatedFieldEncoding, encoding != .unknown {
            features.packsLists = encoding == .packed
        }
        if let validation = set.utf8Validation, validation != .unknown {
            features.validatesUTF8 = validation == .verify
        }
        if let encoding = set.messageEncoding, encoding != .unknown {
            features.delimitsMessages = encoding == .delimited
        }
        if let format = set.jsonFormat, format != .unknown {
            features.checksJSON = format == .allow
        }
        return features
    }

    /// Applies the declarations of proto2 and proto3 that edition files express as features:
    /// `required`, `optional` of proto3, and `packed`.
    mutating func adopt(_ field: Google.Protobuf.FieldDescriptorProto) {
        if field.label == .required { presence = .required }
        if field.proto3Optional == true { presence = .explicit }
        if let packed = field.options?.packed { packsLists = packed }
    }
}
