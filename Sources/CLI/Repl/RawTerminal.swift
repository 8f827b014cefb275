#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Raw mode of the terminal at the standard input: each key arrives at once, and none is echoed.
struct RawTerminal: ~Copyable {
    private let original: termios

    private init(original: termios) { self.original = original }

    /// Switches the terminal to raw mode. The deinit of the value restores the settings. Nil if the standard
    /// input or the standard output is no terminal.
    static func make() -> RawTerminal? {
        var settings = termios()
        // Safe: the calls read and write the structure only.
        guard isatty(1) == 1, unsafe tcgetattr(0, &settings) == 0 else { return nil }
        let original = settings
        // Ctrl-C is a key, too. The output keeps its translation of new lines.
        settings.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
        settings.c_iflag &= ~tcflag_t(ICRNL | IXON)
        guard unsafe tcsetattr(0, TCSADRAIN, &settings) == 0 else { return nil }
        return RawTerminal(original: original)
    }

    deinit {
        var settings = original
        // Safe: the call reads the structure only. There is nothing to do about a failure.
        _ = unsafe tcsetattr(0, TCSADRAIN, &settings)
    }
}
