/// What a client says of itself: `"grpc-" language ["-" variant] "/" version`, behind what the
/// program says of itself.
public enum UserAgent {
    public static let version = "0.1.0"
    static let library = "grpc-swift-swiftlet/\(version)"

    /// The header's value for a program that calls itself `prefix`.
    public static func value(prefix: String? = nil, suffix: String? = nil) -> String {
        [prefix, library, suffix].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " ")
    }
}
