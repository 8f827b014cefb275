/// An option of a command: what the parser accepts and the help shows.
struct CommandOption: Sendable {
    /// Without hyphens. The first name is the one that the help shows.
    let names: [String]
    /// What the help calls the value; nil for an option that has none.
    let valueName: String?
    /// Empty for an option that the help shows in the usage line only.
    let help: String

    /// An option with a value, for example `--port PORT`.
    static func value(_ names: String..., named valueName: String, help: String) -> Self {
        Self(names: names, valueName: valueName, help: help)
    }

    /// An option without a value.
    static func flag(_ names: String..., help: String) -> Self {
        Self(names: names, valueName: nil, help: help)
    }

    /// The option with the hyphens that people write before it.
    var shown: String { Self.hyphenated(names[0]) + (valueName.map { " " + $0 } ?? "") }

    /// One hyphen before a letter, also one that is repeated (`-vv`), and two before a word.
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
