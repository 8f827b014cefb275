/// The types of `google.protobuf` that have a special JSON form.
package enum WellKnownType: Sendable {
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

    /// The fields that the JSON form reads and writes. A message with the name of a well-known type but without
    /// these fields is an ordinary message.
    var expectedFields: [ExpectedField] {
        switch self {
        case .any: [.init(1, [.string]), .init(2, [.bytes])]
        case .timestamp, .duration: [.init(1, [.int64]), .init(2, [.int32])]
        case .fieldMask: [.init(1, [.string], .list)]
        case .structure: [.init(1, [.message], .mapByString, of: "google.protobuf.Value")]
        case .listValue: [.init(1, [.message], .list, of: "google.protobuf.Value")]
        case .wrapper: [.init(1, FieldType.allCases.filter { !$0.isMessage && $0 != .enumeration })]
        case .value:
            [
                .init(1, [.enumeration], of: "google.protobuf.NullValue"), .init(2, [.double]),
                .init(3, [.string]), .init(4, [.bool]),
                .init(5, [.message], of: "google.protobuf.Struct"),
                .init(6, [.message], of: "google.protobuf.ListValue"),
            ]
        }
    }

    /// A field of a well-known type.
    struct ExpectedField {
        enum Shape { case single, list, mapByString }

        let number: UInt32
        let types: [FieldType]
        let shape: Shape
        /// The full name of the message or the enum of the values; nil for scalars.
        let target: String?

        init(
            _ number: UInt32, _ types: [FieldType], _ shape: Shape = .single,
            of target: String? = nil
        ) {
            self.number = number
            self.types = types
            self.shape = shape
            self.target = target
        }
    }
}
