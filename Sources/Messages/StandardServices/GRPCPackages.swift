// The packages of gRPC, as namespaces of their messages: `grpc.testing.Payload` is `GRPC.Testing.Payload`. The messages
// of some packages are in SwiftletServices.

public enum GRPC {
    /// `grpc.testing`: the services for tests and benchmarks of gRPC implementations.
    public enum Testing {}

    /// `grpc.health.v1`: whether a server can serve.
    public enum Health {}

    /// `grpc.reflection.v1`: the services and schemas of a server. `grpc.reflection.v1alpha` is its
    /// former name, with the same messages.
    public enum Reflection {}

    /// `grpc.channelz.v1`: the state of a program's channels.
    package enum Channelz {}
}
