/// Prints the completions of a shell.
enum CompletionCommand: Command {
    static let name = "completion"
    static let usage = "completion bash|zsh|fish"
    static let purpose = """
        prints the completions for a shell: of commands, options, and the values of options.
              'make install' puts them where the shells look for them
        """
    static let examples = [
        "completion bash > ~/.local/share/bash-completion/completions/swiftlet",
        "completion zsh > ~/.zsh/completions/_swiftlet   (a directory of $fpath)",
        "completion fish > ~/.config/fish/completions/swiftlet.fish",
    ]

    private enum Shell: String, CaseIterable {
        case bash, zsh, fish
    }

    static func run(_ arguments: Arguments) async throws {
        let name = try arguments.word(0, "bash, zsh or fish")
        try arguments.expectAtMost(1)
        let names = Shell.allCases.map(\.rawValue)
        switch Shell(rawValue: name) {
        case .bash: print(BashCompletion.text(Main.commands), terminator: "")
        case .zsh: print(ZshCompletion.text(Main.commands), terminator: "")
        case .fish: print(FishCompletion.text(Main.commands), terminator: "")
        case nil:
            throw UsageError(
                message: "there are no completions for '\(name)'"
                    + NearestMatch.hint(for: name, among: names))
        }
    }
}

/// Prints the manual page.
enum ManCommand: Command {
    static let name = "man"
    static let usage = "man"
    static let purpose = "prints the manual page of this program, in the format of man(7)"
    static let examples = ["man | man -l -"]

    static func run(_ arguments: Arguments) async throws {
        try arguments.expectAtMost(0)
        print(ManualPage.text(Main.commands), terminator: "")
    }
}

/// The completions that a shell can offer for the value of an option.
enum ValueCompletion: Equatable {
    case words([String])
    case files
    case none

    init(_ option: CommandOption) {
        guard let name = option.valueName else {
            self = .none
            return
        }
        let parts = name.split(separator: "|").map(String.init)
        let words = parts.filter { $0.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" } }
        if words.count == parts.count {
            self = .words(words)
        } else if parts.contains(where: { $0.hasSuffix("FILE") || $0 == "DIR" }) {
            self = .files
        } else {
            self = .none
        }
    }
}

extension CommandOption {
    /// All names with their hyphens.
    var spellings: [String] { names.map(Self.hyphenated) }
}

/// The texts of commands in the forms that shells and manual pages need.
enum CommandText {
    /// The purpose on one line.
    static func purpose(_ command: any Command.Type) -> String { oneLine(command.purpose) }

    /// The purpose on one line, up to its first full stop or semicolon.
    static func summary(_ command: any Command.Type) -> String {
        let purpose = purpose(command)
        for index in purpose.indices where purpose[index] == "." || purpose[index] == ";" {
            let next = purpose.index(after: index)
            if next == purpose.endIndex || purpose[next] == " " { return String(purpose[..<index]) }
        }
        return purpose
    }

    static func oneLine(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
