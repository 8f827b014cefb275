import Swiftlet

/// The texts that `help` and `--help` print.
enum Help {
    /// All commands.
    static func overview(_ commands: [any Command.Type]) -> String {
        var text = "usage: swiftlet COMMAND …\n"
        for command in commands {
            text += "\n  swiftlet \(command.usage)\n      \(command.purpose)"
        }
        return text + """


            'swiftlet COMMAND --help' shows the options and examples of a command, 'swiftlet --version' the
            version. Options have one hyphen or two. After '--' no word is an option.

            The exit status is 0 for success, 2 for wrong usage, 64 plus the gRPC status for a failed call,
            3 for an interop case that was named and that the server does not serve, 130 for a command that
            was interrupted outside a call, and 1 for any other failure.
            """
    }

    /// One command with its options and examples.
    static func page(_ command: any Command.Type) -> String {
        var text = "usage: swiftlet \(command.usage)\n\n\(command.purpose)"
        let described = command.options.filter { !$0.help.isEmpty }
        if !described.isEmpty {
            text += "\n\noptions:"
            for option in described { text += "\n  \(line(of: option))" }
        }
        if !command.examples.isEmpty {
            text += "\n\nexamples:"
            for example in command.examples { text += "\n  swiftlet \(example)" }
        }
        return text
    }

    private static let column = 26

    private static func line(of option: CommandOption) -> String {
        let shown = option.shown
        let gap = shown.count < column ? String(repeating: " ", count: column - shown.count) : " "
        return shown + gap + option.help
    }
}
