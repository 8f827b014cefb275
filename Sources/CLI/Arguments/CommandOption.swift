/// An option of a command. The parser and the help use it.
struct CommandOption: Sendable {
    /// The names without hyphens. The help shows the first name.
    let names: [String]
    /// The name of the value in the help; nil for an option without a value.
    let valueName: String?
    /// The line in the help. Empty for an option that the help shows only in the usage line.
    let help: String

    /// An option with a value, for example `--port PORT`.
    static func value(_ names: String..., named valueName: String, help: String) -> Self {
        Self(names: names, valueName: valueName, help: help)
    }

    /// An option without a value.
    static func flag(_ names: String..., help: String) -> Self {
        Self(names: names, valueName: nil, help: help)
    }

    /// The option with its hyphens, as the help shows it.
    var shown: String { Self.hyphenated(names[0]) + (valueName.map { " " + $0 } ?? "") }

    /// Adds one hyphen to a letter, also to a repeated letter (`-vv`), and two hyphens to a word.
    static func hyphenated(_ name: String) -> String { (isLetter(name) ? "-" : "--") + name }

    /// Whether a name is one letter, alone or repeated: `v` or `vv`.
    private static func isLetter(_ name: String) -> Bool { name.allSatisfy { $0 == name.first } }
}

extension CommandOption: ExpressibleByStringLiteral {
    /// An option with a value, and without a line in the help: `"--port"`.
    init(stringLiteral name: String) {
        self.init(names: [String(name.drop { $0 == "-" })], valueName: "VALUE", help: "")
    }
}
