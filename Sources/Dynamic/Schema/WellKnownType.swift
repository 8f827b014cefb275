/// The types of `google.protobuf` that have a special JSON form.
enum WellKnownType: Sendable {
    case any
    case timestamp
    case duration
    case fieldMask
    case structure
    case value
    case listValue
    /// A message that wraps a single scalar in its field 1.
    case wrapper

    init?(fullName: String) {
        let package = "google.protobuf."
        guard fullName.hasPrefix(package) else { return nil }
        switch fullName.dropFirst(package.count) {
        case "Any": self = .any
        case "Timestamp": self = .timestamp
        case "Duration": self = .duration
        case "FieldMask": self = .fieldMask
        case "Struct": self = .structure
        case "Value": self = .value
        case "ListValue": self = .listValue
        case "DoubleValue", "FloatValue", "Int64Value", "UInt64Value", "Int32Value", "UInt32Value",
            "BoolValue", "StringValue", "BytesValue":
            self = .wrapper
        default: return nil
        }
    }

    /// The numbers of the fields that the JSON form reads and writes, with their types and whether
    /// they are lists or maps. A message with the name of a well-known type but without these
    /// fields is an ordinary message.
    var expectedFields: [(number: UInt32, types: [FieldType], shape: ExpectedShape)] {
        switch self {
        case .any: [(1, [.string], .single), (2, [.bytes], .single)]
        case .timestamp, .duration: [(1, [.int64], .single), (2, [.int32], .single)]
        case .fieldMask: [(1, [.string], .list)]
        case .structure: [(1, [.message], .map)]
        case .listValue: [(1, [.message], .list)]
        case .wrapper: [(1, FieldType.allCases.filter { !$0.isMessage }, .single)]
        case .value:
            [
                (1, [.enumeration], .single), (2, [.double], .single), (3, [.string], .single),
                (4, [.bool], .single), (5, [.message], .single), (6, [.message], .single),
            ]
        }
    }

    enum ExpectedShape {
        case single, list, map

        func matches(_ shape: FieldLayout.Shape) -> Bool {
            switch self {
            case .single: shape == .implicit || shape == .explicit || shape == .required
            case .list: shape == .list
            case .map: shape == .map
            }
        }
    }
}
