import SwiftletDynamic

/// A text that was entered in the interactive mode: a command and its arguments, or a method and its
/// requests.
enum ReplInput: Equatable {
    case empty
    case call(method: String, requests: String)
    /// A call whose requests are typed while it runs.
    case conversation(method: String)
    case list(service: String?)
    case describe(symbol: String?)
    case template(symbol: String)
    /// A header for later calls. Nil prints the current headers.
    case header(String?)
    case help
    case exit

    /// The words that begin a command.
    static let commands = ["call", "list", "describe", "template", "header", "help", "exit"]

    init(_ text: String) throws {
        let (first, rest) = Self.split(text)
        switch first {
        case "": self = .empty
        case "call":
            let (method, requests) = Self.split(rest)
            guard !method.isEmpty else {
                throw UsageError(
                    message: "METHOD is missing (usage: call METHOD [JSON…])", isAboutUsage: false)
            }
            self = Self.call(method, requests)
        case "list": self = .list(service: rest.isEmpty ? nil : rest)
        case "describe": self = .describe(symbol: rest.isEmpty ? nil : rest)
        case "template":
            guard !rest.isEmpty else {
                throw UsageError(
                    message: "SYMBOL is missing (usage: template SYMBOL)", isAboutUsage: false)
            }
            self = .template(symbol: rest)
        case "header": self = .header(rest.isEmpty ? nil : rest)
        case "help", "?": self = .help
        case "exit", "quit": self = .exit
        default: self = Self.call(first, rest)
        }
    }

    private static func call(_ method: String, _ requests: String) -> ReplInput {
        requests == "@" ? .conversation(method: method) : .call(method: method, requests: requests)
    }

    /// The first word, and the rest without the space around it.
    private static func split(_ text: String) -> (first: String, rest: String) {
        let trimmed = text.drop(while: \.isWhitespace)
        let first = trimmed.prefix { !$0.isWhitespace }
        var rest = trimmed[first.endIndex...].drop(while: \.isWhitespace)
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return (String(first), String(rest))
    }

    static let helpText = """
        METHOD [JSON…]         calls a method; several requests for a stream;
                               'call METHOD …' is the same
        METHOD @               opens a stream: each text that follows is a request;
                               'end' or Ctrl-D ends the requests, Ctrl-C the call
        list [SERVICE]         lists services, or the methods of one
        describe [SYMBOL]      prints a declaration as .proto text
        template SYMBOL        prints a message, or a method's request, as JSON to
                               fill in
        header [NAME: VALUE]   sends a header with the calls that follow; shows the
                               headers
        help, exit

        A METHOD may be shortened to 'Service/Method' or 'Method'. In requests, $ is
        the last answer, and $.items[0].id a part of it. Tab completes names; Enter
        adds a line while a bracket is open, Alt-Enter in any case; the arrows go
        through the lines and the history, and Ctrl-R searches in it; Ctrl-C ends a
        call; Ctrl-D ends.
        """
}

extension Schema {
    /// The method with this full name, or the method whose full name ends with it, such as `Greeter/SayHello`
    /// or `SayHello`.
    func method(named name: String) throws -> MethodSchema {
        let bare = name.hasPrefix("/") ? String(name.dropFirst()) : name
        let methods = services.flatMap(\.methods)
        if let exact = methods.first(where: { $0.path.dropFirst() == bare || $0.fullName == bare })
        {
            return exact
        }
        let found = methods.filter {
            $0.path.hasSuffix("/" + bare) || $0.path.hasSuffix("." + bare)
        }
        guard found.count < 2 else {
            let names = found.map { String($0.path.dropFirst()) }
            throw LookupError(
                description: "'\(name)' is the name of several methods: "
                    + names.joined(separator: ", "))
        }
        guard let method = found.first else {
            let names = methods.flatMap { [$0.name, String($0.path.dropFirst())] }
            throw LookupError(
                description: "there is no command or method '\(name)'"
                    + NearestMatch.hint(for: name, among: ReplInput.commands + names))
        }
        return method
    }
}
