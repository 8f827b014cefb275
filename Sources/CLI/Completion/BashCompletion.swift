/// Completions for bash.
enum BashCompletion {
    static func text(_ commands: [any Command.Type]) -> String {
        let names = commands.map { $0.name } + ["help", "--help", "--version"]
        var text = """
            # Completions of swiftlet for bash.
            _swiftlet() {
                local word=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD-1]}
                COMPREPLY=()
                if ((COMP_CWORD == 1)); then
                    COMPREPLY=($(compgen -W '\(names.joined(separator: " "))' -- "$word"))
                    return
                fi
                case "${COMP_WORDS[1]} $last" in

            """
        for command in commands {
            for option in command.options where option.valueName != nil {
                let patterns = option.spellings.map { "'\(command.name) \($0)'" }
                text += "    \(patterns.joined(separator: "|"))) \(action(option))return ;;\n"
            }
        }
        text += "    esac\n    case \"${COMP_WORDS[1]} $word\" in\n"
        for command in commands {
            let words = command.options.flatMap(\.spellings) + ["--help"]
            text += "    '\(command.name) -'*)\n"
            text +=
                "        COMPREPLY=($(compgen -W '\(words.joined(separator: " "))' -- \"$word\")) ;;\n"
        }
        text += "    'help '*)\n        COMPREPLY=($(compgen -W "
        text += "'\(commands.map { $0.name }.joined(separator: " "))' -- \"$word\")) ;;\n"
        return text + """
                *) COMPREPLY=($(compgen -f -- "$word")) ;;
                esac
            }
            complete -o filenames -F _swiftlet swiftlet

            """
    }

    private static func action(_ option: CommandOption) -> String {
        switch ValueCompletion(option) {
        case .words(let words):
            "COMPREPLY=($(compgen -W '\(words.joined(separator: " "))' -- \"$word\")); "
        case .files: "COMPREPLY=($(compgen -f -- \"$word\")); "
        case .none: ""
        }
    }
}
