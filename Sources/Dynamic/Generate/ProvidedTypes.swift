/// The types that the library has, which are referred to and never generated.
enum ProvidedTypes {
    static let files: Set = [
        "google/protobuf/any.proto", "google/protobuf/descriptor.proto",
        "google/protobuf/duration.proto", "google/protobuf/empty.proto",
        "google/protobuf/field_mask.proto", "google/protobuf/struct.proto",
        "google/protobuf/timestamp.proto", "google/protobuf/wrappers.proto",
        "google/rpc/error_details.proto", "google/rpc/status.proto",
    ]

    /// The modules with provided types that `Swiftlet` does not have, by the file.
    static let modules = ["google/protobuf/descriptor.proto": "SwiftletDynamic"]

    /// The namespaces that the library declares, by the package.
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
