/// The user agent: `"grpc-" language ["-" variant] "/" version`. The program's prefix precedes it,
/// and the program's suffix follows it.
package enum UserAgent {
    package static let version = "0.1.0"
    static let library = "grpc-swift-swiftlet/\(version)"

    /// The value of the header, with the prefix and the suffix of the program.
    package static func value(prefix: String? = nil, suffix: String? = nil) -> String {
        [prefix, library, suffix].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " ")
    }
}
