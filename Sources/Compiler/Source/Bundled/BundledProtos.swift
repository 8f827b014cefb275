/// Files that are imported so often that the compiler contains them.
enum BundledProtos {
    /// The text of each file, by the name that imports use.
    static let sources: [String: String] = [
        "google/protobuf/any.proto": any,
        "google/protobuf/api.proto": api,
        "google/protobuf/duration.proto": duration,
        "google/protobuf/empty.proto": empty,
        "google/protobuf/field_mask.proto": fieldMask,
        "google/protobuf/source_context.proto": sourceContext,
        "google/protobuf/struct.proto": structure,
        "google/protobuf/timestamp.proto": timestamp,
        "google/protobuf/type.proto": type,
        "google/protobuf/wrappers.proto": wrappers,
        "google/protobuf/descriptor.proto": descriptor,
        "google/protobuf/cpp_features.proto": cppFeatures,
        "google/protobuf/go_features.proto": goFeatures,
        "google/protobuf/java_features.proto": javaFeatures,
        "google/rpc/status.proto": status,
        "google/rpc/code.proto": code,
        "google/rpc/error_details.proto": errorDetails,
        "google/rpc/http.proto": rpcHTTP,
        "google/rpc/context/attribute_context.proto": attributeContext,
        "google/rpc/context/audit_context.proto": auditContext,
        "google/api/annotations.proto": annotations,
        "google/api/http.proto": http,
        "google/api/field_behavior.proto": fieldBehavior,
        "google/api/client.proto": client,
        "google/api/httpbody.proto": httpBody,
        "google/api/launch_stage.proto": launchStage,
        "google/api/resource.proto": resource,
    ]
}
