/// How messages are made smaller on the wire.
///
/// A struct and not an enum: a server may name one that nobody has heard of here.
public struct CompressionAlgorithm: Hashable, Sendable {
    /// As in `grpc-encoding`.
    public let name: String

    public init(name: String) { self.name = name }

    /// Not at all.
    public static let identity = CompressionAlgorithm(name: "identity")
    public static let gzip = CompressionAlgorithm(name: "gzip")
    /// The zlib format (RFC 1950), which HTTP calls deflate.
    public static let deflate = CompressionAlgorithm(name: "deflate")

    /// Those that messages can be in here.
    package static let supported: [CompressionAlgorithm] = [.identity, .deflate, .gzip]
    package static let accepted = "identity,deflate,gzip"
}
