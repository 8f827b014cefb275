/// The arguments of a command: options with their values (`--name value` or `--name=value`), and
/// the other words in order. A word that begins with `-` is an option, except after `--`.
///
/// One hyphen and two mean the same.
struct Arguments {
    private(set) var words: [String] = []
    /// The values, keyed by the first name of the option.
    private var values: [String: [String]] = [:]

    init(_ all: [String], of command: any Command.Type) throws {
        var rest = all[...]
        while let word = rest.popFirst() {
            guard word != "--" else {
                words += rest
                return
            }
            guard word.hasPrefix("-"), word != "-" else {
                words.append(word)
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let option = try Self.option(String(parts[0]), of: command)
            let given = parts.count == 2 ? String(parts[1]) : nil
            let value = try Self.value(given, of: option, written: word, from: &rest)
            if let value {
                values[option.names[0], default: []].append(value)
            } else {
                values[option.names[0]] = nil
            }
        }
    }

    /// Whether the words ask for help. The value of an option does not.
    static func askForHelp(_ words: [String], of command: any Command.Type) -> Bool {
        var rest = words[...]
        while let word = rest.popFirst(), word != "--" {
            if Main.helpWords.contains(word) { return true }
            guard word.hasPrefix("-"), !word.contains("=") else { continue }
            let option = command.options.first { $0.names.contains(bareName(word)) }
            if option?.valueName != nil { _ = rest.popFirst() }
        }
        return false
    }

    private static func option(
        _ written: String, of command: any Command.Type
    ) throws -> CommandOption {
        let name = bareName(written)
        if let option = command.options.first(where: { $0.names.contains(name) }) { return option }
        let names = command.options.flatMap(\.names)
        let hint = NearestMatch.nearest(to: name, among: names)
            .map { "; did you mean '\(CommandOption.hyphenated($0))'?" }
        throw UsageError(message: "unknown option '\(written)'\(hint ?? "")")
    }

    /// The value; nil for an option without a value that `=false` removes.
    private static func value(
        _ given: String?, of option: CommandOption, written word: String,
        from rest: inout ArraySlice<String>
    ) throws -> String? {
        guard option.valueName != nil else {
            guard let given else { return "true" }
            guard given == "true" || given == "false" else {
                throw UsageError(
                    message: "option '\(CommandOption.hyphenated(option.names[0]))' has no value")
            }
            return given == "true" ? given : nil
        }
        guard let value = given ?? rest.popFirst() else {
            throw UsageError(message: "option '\(word)' needs a value")
        }
        return value
    }

    /// `-plaintext` and `--plaintext` are the same option.
    private static func bareName(_ word: String) -> String {
        String(word.dropFirst(word.hasPrefix("--") ? 2 : 1))
    }
}

// MARK: - Options

extension Arguments {
    /// The last value of an option; nil if it is absent. `option` must be the first name of the option.
    subscript(option: String) -> String? { all(option).last }

    /// All values of an option that may be repeated.
    func all(_ option: String) -> [String] { values[Self.bareName(option)] ?? [] }

    /// Whether an option without a value is present.
    func has(_ option: String) -> Bool { self[option] != nil }

    /// Whether `-v` is present, or `-vv`, which includes it.
    var isVerbose: Bool { has("-v") || has("-vv") }

    func file(_ option: String) throws -> String? {
        guard let path = self[option] else { return nil }
        return String(decoding: try Self.contents(of: path), as: UTF8.self)
    }

    static func contents(of path: String) throws -> [UInt8] {
        do throws(FileError) {
            return try readFile(path)
        } catch {
            throw UsageError(message: "cannot read '\(path)': \(error.reason)")
        }
    }

    /// Throws if more than one of these options is present.
    func expectOne(of options: [String]) throws {
        let present = options.filter { self[$0] != nil }
        guard present.count < 2 else {
            throw UsageError(message: "\(present[0]) and \(present[1]) exclude each other")
        }
    }

    /// The integer value of an option; nil if it is absent.
    func integer(_ option: String, in range: ClosedRange<Int>) throws -> Int? {
        guard let text = self[option] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw UsageError(
                message: "\(option) needs a number from \(range.lowerBound) to "
                    + "\(range.upperBound), not '\(text)'")
        }
        return number
    }

    /// The value of an option with one of a few values; nil if it is absent.
    func choice<Choice: RawRepresentable & CaseIterable>(
        _ option: String, as type: Choice.Type = Choice.self
    ) throws -> Choice? where Choice.RawValue == String {
        guard let text = self[option] else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let names = Choice.allCases.map(\.rawValue)
            throw UsageError(
                message: "\(option) needs \(names.joined(separator: ", ")), not '\(text)'"
                    + NearestMatch.hint(for: text, among: names))
        }
        return choice
    }

    /// The value of an option in seconds, or with the unit `ms`, `s`, `m` or `h`; nil if it is absent.
    func duration(_ option: String) throws -> Duration? {
        guard let text = self[option] else { return nil }
        guard let duration = Duration(commandLine: text) else {
            throw UsageError(
                message: "\(option): not a time: '\(text)' "
                    + "(expected seconds such as 1.5, or 200ms, above 0 and up to 1e9)")
        }
        return duration
    }
}

// MARK: - Words

extension Arguments {
    /// Returns the word at `index`; throws when there are fewer.
    func word(_ index: Int, _ name: String) throws -> String {
        guard index < words.count else { throw UsageError(message: "\(name) is missing") }
        return words[index]
    }

    /// Throws if there are more words than the command accepts.
    func expectAtMost(_ count: Int) throws {
        guard words.count <= count else {
            throw UsageError(message: "unexpected argument '\(words[count])'")
        }
    }
}
