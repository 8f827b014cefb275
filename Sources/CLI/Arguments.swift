import Swiftlet

/// The command line does not say what is to be done.
struct UsageError: Error {
    var message: String

    /// Makes what the command line describes. Where that makes no sense, the command line does not.
    static func whenInvalid<Made>(_ make: () throws -> Made) throws -> Made {
        do {
            return try make()
        } catch let error as RPCError where error.code == .invalidArgument {
            throw UsageError(message: error.message)
        }
    }
}

/// The words behind a command: options with their values (`--name value` or `--name=value`), and
/// the others in order. Behind `--` there are no options.
struct Arguments {
    private(set) var words: [String] = []
    private var values: [String: String] = [:]

    init(_ all: [String], of command: any Command.Type) throws {
        var rest = all[...]
        while let word = rest.popFirst() {
            guard word != "--" else {
                words += rest
                return
            }
            guard word.hasPrefix("--") else {
                words.append(word)
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            guard command.options.contains(name) else {
                throw UsageError(message: "there is no option '\(name)'")
            }
            if parts.count == 2 {
                values[name] = String(parts[1])
                continue
            }
            guard let value = rest.popFirst() else {
                throw UsageError(message: "'\(word)' needs a value")
            }
            values[name] = value
        }
    }

    subscript(option: String) -> String? { values[option] }

    /// The word at `index`, which must be there.
    func word(_ index: Int, _ what: String) throws -> String {
        guard index < words.count else { throw UsageError(message: "\(what) is missing") }
        return words[index]
    }

    /// Refuses more words than the command takes.
    func expectAtMost(_ count: Int) throws {
        guard words.count <= count else {
            throw UsageError(message: "'\(words[count])' is one word too many")
        }
    }

    func file(_ option: String) throws -> String? {
        guard let path = self[option] else { return nil }
        do throws(FileError) {
            return String(decoding: try readFile(path), as: UTF8.self)
        } catch {
            throw UsageError(message: "cannot read '\(path)': \(error.reason)")
        }
    }
}

/// Options of commands that call a server.
enum ChannelOptions {
    static let names: Set<String> = ["--ca", "--override", "--timeout"]
    static let usage = "[--ca FILE|system] [--override NAME] [--timeout SECONDS]"
    static let defaultTarget = "localhost:50051"

    static func channel(_ target: String, _ arguments: Arguments) throws -> Channel {
        var options = CallOptions()
        options.timeout = .seconds(20)
        if let text = arguments["--timeout"] {
            guard let seconds = Double(text), seconds > 0, seconds <= 1e9 else {
                throw UsageError(message: "'\(text)' is no number of seconds up to 1e9")
            }
            options.timeout = .seconds(seconds)
        }
        guard let authorities = arguments["--ca"] else {
            guard arguments["--override"] == nil else {
                throw UsageError(message: "--override needs --ca: without it nothing is secured")
            }
            return try UsageError.whenInvalid { try Channel(target, defaultOptions: options) }
        }
        var tls = TLSOptions()
        if authorities != "system" { tls.rootCertificates = .file(authorities) }
        tls.targetNameOverride = arguments["--override"]
        return try UsageError.whenInvalid {
            try Channel(target, credentials: .tls(tls), defaultOptions: options)
        }
    }
}

extension Channel {
    /// Closes the channel behind `body`, whatever comes of that: a program that ends at once would
    /// leave without a word.
    func closing<Result>(after body: () async throws -> Result) async throws -> Result {
        do {
            let result = try await body()
            await close()
            return result
        } catch {
            await close()
            throw error
        }
    }
}
