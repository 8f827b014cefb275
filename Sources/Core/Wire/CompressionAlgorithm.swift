import SwiftletTransport

/// A compression algorithm for messages.
///
/// A struct and not an enum: a server may use an algorithm that this library does not know.
public struct CompressionAlgorithm: Hashable, Sendable {
    /// An enum, because each call copies its algorithms: the known ones need no reference counting.
    private enum Kind: Hashable {
        case identity
        case gzip
        case deflate
        case other(String)
    }

    private let kind: Kind

    private init(_ kind: Kind) { self.kind = kind }

    public init(name: String) {
        self = Self(known: ContiguousArray(name.utf8).span) ?? Self(.other(name))
    }

    /// The algorithm of a name from a peer, which is compared as bytes. Nil for a name that this library does not
    /// know.
    init?(known name: Span<UInt8>) {
        if name.equals("identity") {
            kind = .identity
        } else if name.equals("gzip") {
            kind = .gzip
        } else if name.equals("deflate") {
            kind = .deflate
        } else {
            return nil
        }
    }

    /// The name in `grpc-encoding`.
    public var name: String {
        switch kind {
        case .identity: "identity"
        case .gzip: "gzip"
        case .deflate: "deflate"
        case .other(let name): name
        }
    }

    /// No compression.
    public static var identity: CompressionAlgorithm { CompressionAlgorithm(.identity) }
    public static var gzip: CompressionAlgorithm { CompressionAlgorithm(.gzip) }
    /// The zlib format (RFC 1950), which HTTP calls deflate.
    public static var deflate: CompressionAlgorithm { CompressionAlgorithm(.deflate) }

    /// The supported algorithms. Only ``identity`` if the system has no zlib.
    package static let supported = supported(hasZlib: ZlibLibrary.shared != nil)

    /// The value of `grpc-accept-encoding`.
    package static let accepted = supported.map(\.name).joined(separator: ",")

    static func supported(hasZlib: Bool) -> [CompressionAlgorithm] {
        hasZlib ? [.identity, .deflate, .gzip] : [.identity]
    }
}
