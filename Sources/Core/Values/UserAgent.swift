/// The user agent: `"grpc-" language ["-" variant] "/" version`, between the program's prefix and
/// suffix.
public enum UserAgent {
    public static let version = "0.1.0"
    static let library = "grpc-swift-swiftlet/\(version)"

    /// The value of the header for a program that adds `prefix`.
    public static func value(prefix: String? = nil, suffix: String? = nil) -> String {
        [prefix, library, suffix].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " ")
    }
}
