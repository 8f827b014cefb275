import Swiftlet

/// The manual page, in the format of man(7).
enum ManualPage {
    static func text(_ commands: [any Command.Type]) -> String {
        var text = """
            .TH SWIFTLET 1 "" "swiftlet \(UserAgent.version)" "User Commands"
            .SH NAME
            swiftlet \\- a command line for gRPC servers
            .SH SYNOPSIS
            .B swiftlet
            .I command
            [\\fIargument\\fR ...]
            .SH DESCRIPTION
            Calls, inspects, measures, imitates and records gRPC servers.
            Options have one hyphen or two. After
            .B \\-\\-
            no word is an option.
            .SH COMMANDS

            """
        for command in commands { text += section(command) }
        return text + """
            .SH EXIT STATUS
            .TP
            .B 0
            Success.
            .TP
            .B 1
            A failure that none of the following describes.
            .TP
            .B 2
            The command line is not valid.
            .TP
            .B 3
            An interop case was named that the server does not serve.
            .TP
            .B 64 + N
            A call failed with the gRPC status N.
            .TP
            .B 130
            The command was interrupted outside a call.
            .SH ENVIRONMENT
            .TP
            .B NO_COLOR
            No colours, if it is set.
            .TP
            .B XDG_STATE_HOME
            The directory of the history of
            .BR "swiftlet repl" ,
            in swiftlet/history. Default: ~/.local/state.
            .TP
            .BR grpc_proxy ", " https_proxy ", " http_proxy ", " all_proxy ", " no_proxy
            The proxy for connections; see
            .BR \\-\\-proxy .
            .TP
            .B SWIFTLET_FRAME_LOG
            Prints each HTTP/2 frame to the standard error, if it is not empty; the same as
            .BR \\-vv ,
            for all commands.
            .TP
            .B SWIFTLET_OPENSSL
            The file of libssl, or the folder of libssl and libcrypto, that TLS uses. Default: those of the
            system.

            """
    }

    private static func section(_ command: any Command.Type) -> String {
        var text = ".SS swiftlet \(escaped(CommandText.oneLine(command.usage)))\n"
        text += paragraph(CommandText.purpose(command).capitalizingFirst + ".")
        for option in command.options where !option.help.isEmpty {
            let names = option.spellings.map { "\\fB\(escaped($0))\\fR" }.joined(separator: ", ")
            let value = option.valueName.map { " \\fI\(escaped($0))\\fR" } ?? ""
            text += ".TP\n\(names)\(value)\n"
            text += paragraph(CommandText.oneLine(option.help).capitalizingFirst + ".")
        }
        guard !command.examples.isEmpty else { return text }
        text += ".PP\nExamples:\n.PP\n.nf\n"
        for example in command.examples { text += "    swiftlet \(escaped(example))\n" }
        return text + ".fi\n"
    }

    /// A line that man(7) does not interpret as a request.
    private static func paragraph(_ text: String) -> String {
        let escaped = escaped(text)
        let isRequest = escaped.hasPrefix(".") || escaped.hasPrefix("'")
        return (isRequest ? "\\&" : "") + escaped + "\n"
    }

    private static func escaped(_ text: String) -> String {
        text.map { character in
            switch character {
            case "\\": "\\e"
            case "-": "\\-"
            case "…": "..."
            case "–": "\\-"
            default: String(character)
            }
        }.joined()
    }
}

extension String {
    fileprivate var capitalizingFirst: String { prefix(1).uppercased() + dropFirst() }
}
