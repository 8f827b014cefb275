/// The types that the library has. Generated source refers to them, and they are never generated.
enum ProvidedTypes {
    static let files: Set = [
        "google/protobuf/any.proto", "google/protobuf/descriptor.proto",
        "google/protobuf/duration.proto", "google/protobuf/empty.proto",
        "google/protobuf/field_mask.proto", "google/protobuf/struct.proto",
        "google/protobuf/timestamp.proto", "google/protobuf/wrappers.proto",
        "google/rpc/error_details.proto", "google/rpc/status.proto",
    ]

    /// The modules of provided types that are not in `Swiftlet`, keyed by the name of the `.proto`
    /// file.
    static let modules = [
        "google/protobuf/descriptor.proto": "SwiftletDynamic",
        "google/protobuf/field_mask.proto": "SwiftletWellKnown",
        "google/protobuf/struct.proto": "SwiftletWellKnown",
        "google/protobuf/wrappers.proto": "SwiftletWellKnown",
        "google/rpc/error_details.proto": "SwiftletWellKnown",
    ]

    /// The namespaces that the library declares, keyed by the package.
    static let packages: [String: [String]] = [
        "google": ["Google"],
        "google.protobuf": ["Google", "Protobuf"],
        "google.rpc": ["Google", "RPC"],
    ]

    /// The types whose names differ from those in their `.proto` files.
    static let names = [
        "google.protobuf.Any": "AnyMessage",
        "google.protobuf.FieldDescriptorProto.Type": "FieldType",
    ]
}
