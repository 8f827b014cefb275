#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Raw mode of the terminal at the standard input: each key arrives at once, and no key is echoed.
struct RawTerminal: ~Copyable {
    private let original: termios

    private init(original: termios) { self.original = original }

    /// Switches the terminal to raw mode. The deinit of the value restores the settings. Nil if the standard
    /// input or the standard output is not a terminal.
    static func make() -> RawTerminal? {
        var settings = termios()
        // Safe: the calls only read and write the structure.
        guard isatty(1) == 1, unsafe tcgetattr(0, &settings) == 0 else { return nil }
        let original = settings
        // Ctrl-C is read as a key. The output still translates new lines.
        settings.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
        settings.c_iflag &= ~tcflag_t(ICRNL | IXON)
        guard unsafe tcsetattr(0, TCSADRAIN, &settings) == 0 else { return nil }
        return RawTerminal(original: original)
    }

    deinit {
        var settings = original
        // Safe: the call only reads the structure. A failure cannot be handled.
        _ = unsafe tcsetattr(0, TCSADRAIN, &settings)
    }
}
