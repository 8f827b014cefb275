// The packages of the .proto files, as namespaces of their messages: `grpc.testing.Payload` is
// `GRPC.Testing.Payload`. At the top level, names such as `Empty`, `Status` and `Duration` would
// collide with the user's own types. The messages of some packages are in SwiftletServices.

public enum GRPC {
    /// `grpc.testing`: the services for tests and benchmarks of gRPC implementations.
    public enum Testing {}

    /// `grpc.health.v1`: whether a server is able to serve.
    public enum Health {}

    /// `grpc.reflection.v1`: what a server offers. `grpc.reflection.v1alpha` is the same, byte for
    /// byte, under the name that it had before.
    public enum Reflection {}

    /// `grpc.channelz.v1`: what the channels of a program are doing.
    package enum Channelz {}
}

/// `routeguide`: the guide to places along a route.
public enum RouteGuide {}

public enum Google {
    /// `google.protobuf`: the well-known types, and descriptors.
    public enum Protobuf {}

    /// `google.rpc`: the status of a call with its details.
    public enum RPC {}
}
