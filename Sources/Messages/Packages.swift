// The packages of the .proto files, as namespaces of their messages: `google.protobuf.Duration` is
// `Google.Protobuf.Duration`. At the top level, names such as `Empty`, `Status` and `Duration` would
// collide with the user's own types.

public enum Google {
    /// `google.protobuf`: the well-known types, and descriptors.
    public enum Protobuf {}

    /// `google.rpc`: the status of a call with its details.
    public enum RPC {}
}
