import Swiftlet

/// The texts that `help` and `--help` print. Their lines have at most ``WrappedText/columnCount`` characters.
enum Help {
    /// All commands.
    static func overview(_ commands: [any Command.Type]) -> String {
        var text = "usage: swiftlet COMMAND …\n"
        for command in commands {
            text += "\n" + usage(command, first: "  swiftlet ", next: "  swiftlet ") + "\n"
            text += WrappedText.text(command.purpose, first: "      ", indent: 6)
        }
        let notes = [
            """
            'swiftlet COMMAND --help' shows the options and examples of a command, 'swiftlet \
            --version' the version. Options have one hyphen or two. After '--' no word is an option.
            """,
            """
            The exit status is 0 for success, 2 for wrong usage, 64 plus the gRPC status for a \
            failed call, 3 for an interop case that was named and that the server does not serve, \
            130 for a command that was interrupted outside a call, and 1 for any other failure.
            """,
        ]
        return text + notes.map { "\n\n" + WrappedText.text($0) }.joined()
    }

    /// One command with its options and examples.
    static func page(_ command: any Command.Type) -> String {
        var text = usage(command) + "\n\n" + WrappedText.text(command.purpose)
        let described = command.options.filter { !$0.help.isEmpty }
        if !described.isEmpty {
            text += "\n\noptions:"
            for option in described { text += "\n" + lines(of: option) }
        }
        if !command.examples.isEmpty {
            text += "\n\nexamples:"
            for example in command.examples {
                text +=
                    "\n"
                    + WrappedText.text(
                        example, first: "  swiftlet ", indent: 6, end: " \\", isCommand: true)
            }
        }
        return text
    }

    /// The forms of a command. In the text of a command, each form begins a line; a line that begins with a
    /// bracket continues the one before.
    static func usage(
        _ command: any Command.Type, first: String = "usage: swiftlet ",
        next: String = "       swiftlet "
    ) -> String {
        var forms: [String] = []
        for line in command.usage.split(separator: "\n") {
            let line = line.drop { $0 == " " }
            if line.hasPrefix("["), let last = forms.indices.last {
                forms[last] += " " + line
            } else {
                forms.append(String(line))
            }
        }
        return forms.enumerated().map { index, form in
            WrappedText.text(form, first: index == 0 ? first : next, indent: 10, isCommand: true)
        }.joined(separator: "\n")
    }

    /// The column of the texts of options.
    private static let column = 28

    private static func lines(of option: CommandOption) -> String {
        let shown = "  " + option.shown
        let indent = String(repeating: " ", count: column)
        guard shown.count < column else {
            return shown + "\n" + WrappedText.text(option.help, first: indent, indent: column)
        }
        return WrappedText.text(
            option.help, first: shown + indent.dropFirst(shown.count), indent: column)
    }
}
