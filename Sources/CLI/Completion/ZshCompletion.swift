/// Completions for zsh.
enum ZshCompletion {
    static func text(_ commands: [any Command.Type]) -> String {
        var text = """
            #compdef swiftlet
            # Completions of swiftlet for zsh.
            _swiftlet() {
              local -a commands
              commands=(

            """
        for command in commands {
            let summary = CommandText.summary(command)
            text += "    \(quoted(escaped(command.name) + ":" + summary))\n"
        }
        text += """
              )
              if (( CURRENT == 2 )); then
                _describe command commands
                return
              fi
              local command=$words[2]
              shift words
              (( CURRENT-- ))
              case $command in

            """
        for command in commands {
            text += "  \(command.name))\n    _arguments -S \\\n"
            for option in command.options { text += "      \(specification(option)) \\\n" }
            text += "      '--help[shows the options of the command]' \\\n      '*: :_files' ;;\n"
        }
        return text + "  help) _describe command commands ;;\n  esac\n}\n_swiftlet \"$@\"\n"
    }

    /// For example `'*'{-I,--import-path}'[a directory]:DIR:_files'`.
    private static func specification(_ option: CommandOption) -> String {
        let names = option.spellings
        let shown = names.count == 1 ? names[0] : "{\(names.joined(separator: ","))}"
        var rest = "[\(escaped(CommandText.oneLine(option.help)))]"
        if let value = option.valueName {
            rest += ":\(escaped(value)):"
            switch ValueCompletion(option) {
            case .words(let words): rest += "(\(words.joined(separator: " ")))"
            case .files: rest += "_files"
            case .none: rest += " "
            }
        }
        // In zsh, this prefix allows the option several times.
        return "'*'" + shown + quoted(rest)
    }

    private static func escaped(_ text: String) -> String {
        String(text.flatMap { "[]:\\".contains($0) ? ["\\", $0] : [$0] })
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.map { $0 == "'" ? "'\\''" : String($0) }.joined() + "'"
    }
}
