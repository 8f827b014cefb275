/// Completions for fish.
enum FishCompletion {
    static func text(_ commands: [any Command.Type]) -> String {
        var text = "# Completions of swiftlet for fish.\n"
        let names = commands.map { $0.name }
        for command in commands {
            text += "complete -c swiftlet -n __fish_use_subcommand -f -a \(command.name)"
            text += " -d \(quoted(CommandText.summary(command)))\n"
        }
        text += "complete -c swiftlet -n __fish_use_subcommand -f -a help\n"
        text += "complete -c swiftlet -n '__fish_seen_subcommand_from help' -f"
        text += " -a \(quoted(names.joined(separator: " ")))\n"
        for command in commands {
            for option in command.options { text += line(option, of: command) }
        }
        return text
    }

    private static func line(_ option: CommandOption, of command: any Command.Type) -> String {
        var line = "complete -c swiftlet -n '__fish_seen_subcommand_from \(command.name)'"
        for name in option.names { line += " \(flag(name)) \(name)" }
        if option.valueName != nil {
            switch ValueCompletion(option) {
            case .words(let words): line += " -x -a \(quoted(words.joined(separator: " ")))"
            case .files: line += " -r"
            case .none: line += " -x"
            }
        }
        let help = CommandText.oneLine(option.help)
        return line + (help.isEmpty ? "" : " -d \(quoted(help))") + "\n"
    }

    /// The flag of fish's `complete` for a name: short, a word with one hyphen, or long.
    private static func flag(_ name: String) -> String {
        guard !CommandOption.hyphenated(name).hasPrefix("--") else { return "-l" }
        return name.utf8.count == 1 ? "-s" : "-o"
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "'"
    }
}
