/// A compression of messages.
///
/// A struct and not an enum: a server may use an algorithm that this library does not know.
public struct CompressionAlgorithm: Hashable, Sendable {
    /// The name in `grpc-encoding`.
    public let name: String

    public init(name: String) { self.name = name }

    /// No compression.
    public static let identity = CompressionAlgorithm(name: "identity")
    public static let gzip = CompressionAlgorithm(name: "gzip")
    /// The zlib format (RFC 1950), which HTTP calls deflate.
    public static let deflate = CompressionAlgorithm(name: "deflate")

    /// The algorithms that are supported. Only ``identity`` if the system has no zlib.
    package static let supported = supported(hasZlib: ZlibLibrary.shared != nil)

    /// The value of `grpc-accept-encoding`.
    package static let accepted = supported.map(\.name).joined(separator: ",")

    static func supported(hasZlib: Bool) -> [CompressionAlgorithm] {
        hasZlib ? [.identity, .deflate, .gzip] : [.identity]
    }
}
