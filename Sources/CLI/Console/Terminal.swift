#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The properties of the terminal to which output is printed.
enum Terminal {
    /// Whether the standard output is a terminal that shows colours, and NO_COLOR is not set.
    static let hasColour =
        isatty(1) == 1 && variable("NO_COLOR") == "" && variable("TERM") != "dumb"

    /// Whether the standard error is a terminal on which a line can be redrawn.
    static let showsProgress = isatty(2) == 1 && variable("TERM") != "dumb"

    /// The width of the standard output in characters; 80 if it is not a terminal.
    static var columnCount: Int { size.ws_col > 0 ? Int(size.ws_col) : 80 }

    /// The height of the standard output in lines; 24 if it is not a terminal.
    static var rowCount: Int { size.ws_row > 0 ? Int(size.ws_row) : 24 }

    private static var size: winsize {
        var size = winsize()
        // Safe: the call only writes to the structure, and leaves it zero if it fails.
        _ = unsafe ioctl(1, UInt(TIOCGWINSZ), &size)
        return size
    }

    /// The value of an environment variable; empty if it is not set.
    static func variable(_ name: String) -> String { value(of: name) ?? "" }

    /// The value of an environment variable; nil if it is not set.
    static func value(of name: String) -> String? {
        // Safe: nothing changes the environment, and the value is copied.
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    }
}
