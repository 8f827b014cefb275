import Swiftlet

/// Error texts of the library in the words of the command line. The library names properties of its own types,
/// which the command line has no access to.
enum OptionNames {
    private static let replacements = [
        ("raise maxReceiveByteCount to accept it", "raise --max-msg-size to accept it"),
        (" (Resolvers.register adds schemes)", " (expected dns, ipv4, ipv6 or unix)"),
        ("channel argument 'connectTimeout'", "--connect-timeout"),
        ("channel argument 'keepAliveInterval'", "--keepalive-time"),
        ("channel argument 'keepAliveTimeout'", "--keepalive-time"),
    ]

    /// The text of an error that occurred in this process.
    static func text(_ text: String) -> String {
        replacements.reduce(text) { $0.replacingOccurrences(ofText: $1.0, by: $1.1) }
    }
}

extension RPCError {
    /// The error, with the options of the command line in place of the properties of the library. A server's
    /// text is not changed.
    var withOptionNames: RPCError {
        guard origin != .server else { return self }
        var error = self
        error.message = OptionNames.text(message)
        return error
    }
}
