#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The terminal that the output may go to.
enum Terminal {
    /// Whether the standard output is a terminal that shows colours, and NO_COLOR is not set.
    static let hasColour =
        isatty(1) == 1 && variable("NO_COLOR") == "" && variable("TERM") != "dumb"

    /// The width of the standard output in characters; 80 if it is no terminal.
    static var columnCount: Int {
        var size = winsize()
        // Safe: the call writes to the structure only.
        guard unsafe ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// The value of an environment variable; empty if it is not set.
    private static func variable(_ name: String) -> String {
        // Safe: nothing changes the environment, and the value is copied.
        guard let value = unsafe getenv(name) else { return "" }
        return unsafe String(cString: value)
    }
}
