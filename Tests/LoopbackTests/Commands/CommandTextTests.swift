import Testing

@testable import SwiftletCLI

@Suite("The texts of the command line")
struct CommandTextTests {
    @Test(
        "suggest a similar word, but no word that is very different",
        arguments: [
            ("cal", "call"), ("lsit", "list"), ("descirbe", "describe"), ("HEALTH", "health"),
            ("benchmark", nil), ("q", nil), ("zzzzz", nil),
        ])
    func nearest(word: String, meant: String?) {
        #expect(NearestMatch.nearest(to: word, among: Main.commands.map { $0.name }) == meant)
    }

    @Test("accept options with one hyphen or two, by each of their names")
    func hyphens() throws {
        for word in ["-plaintext", "--plaintext", "-plaintext=true"] {
            #expect(try Arguments([word], of: CallCommand.self).has("--plaintext"))
        }
        for words in [
            ["-max-time", "5"], ["--max-time=5"], ["--timeout", "5s"], ["-timeout=5000ms"],
        ] {
            let arguments = try Arguments(words, of: CallCommand.self)
            #expect(try arguments.duration("--max-time") == .seconds(5))
        }
        let headers = try Arguments(["-H", "a: 1", "-H", "b: 2"], of: CallCommand.self)
        #expect(headers.all("-H") == ["a: 1", "b: 2"])
    }

    @Test("have no option that false removes, whatever it was before")
    func removedFlags() throws {
        let plaintext = try Arguments(["--plaintext", "-plaintext=false"], of: CallCommand.self)
        #expect(plaintext["--plaintext"] == nil && !plaintext.has("--plaintext"))
        let again = try Arguments(["--plaintext=false", "--plaintext"], of: CallCommand.self)
        #expect(again.has("--plaintext"))
        let insecure = try Arguments(["--plaintext", "--insecure=false"], of: CallCommand.self)
        #expect(insecure["--insecure"] == nil)
        // Beside --plaintext, each option that chooses TLS is a mistake.
        _ = try SecurityOptions.credentials("localhost:1", insecure)
    }

    @Test("are the help only where a word asks for it, and not for the value of an option")
    func helpWords() {
        for words in [
            ["-h"], ["-help"], ["x", "--help"], ["-plaintext", "-h"], ["-d", "x", "-h"],
        ] {
            #expect(Arguments.askForHelp(words, of: CallCommand.self), "\(words)")
        }
        for words in [["-d", "-h"], ["-H", "--help", "x"], ["--", "-h"], ["-d=-h"]] {
            #expect(!Arguments.askForHelp(words, of: CallCommand.self), "\(words)")
        }
    }

    @Test("are printed with one hyphen and with two")
    func programWords() async throws {
        let help = Help.overview(Main.commands) + "\n"
        for word in ["-h", "-help", "--help", "help"] {
            #expect(try await Program.run([word]).output == help)
        }
        for word in ["-version", "--version"] {
            #expect(try await Program.run([word]).output.hasPrefix("swiftlet "))
        }
        let page = try await Program.run(["call", "-help"])
        #expect(page.output == Help.page(CallCommand.self) + "\n")
    }

    @Test("refuse an unknown option, and suggest the nearest one")
    func unknownOption() {
        let error = #expect(throws: UsageError.self) {
            _ = try Arguments(["--plaintxt"], of: CallCommand.self)
        }
        #expect(error?.message == "unknown option '--plaintxt'; did you mean '--plaintext'?")
    }

    @Test("have examples of the right command, and describe each option once")
    func help() {
        for command in Main.commands {
            #expect(!command.examples.isEmpty, "\(command)")
            for example in command.examples {
                #expect(example.split(separator: " ").first == command.name[...])
            }
            let names = command.options.flatMap(\.names)
            #expect(Set(names).count == names.count, "\(command)")
            for line in Help.page(command).split(separator: "\n") {
                #expect(line.count <= 80, "\(line)")
            }
        }
        for line in Help.overview(Main.commands).split(separator: "\n") {
            #expect(line.count <= 80, "\(line)")
        }
    }

    @Test("use TLS for a target on another machine by default")
    func security() {
        for target in [
            "localhost:1", "127.0.0.1:1", "unix:/a", "dns:///localhost:1", "[::1]:1",
            "127.1.2.3:1", "ipv4:127.0.0.1:1,127.0.0.2:1",
        ] {
            #expect(SecurityOptions.isOnThisMachine(target), "\(target)")
        }
        for target in [
            "example.com:443", "10.0.0.1:1", "localhost.example.com:1", "dns:///a:1",
            "127.0.0.1.example.com:443", "127.example.com:443", "ipv4:127.0.0.1:1,10.0.0.1:1",
        ] {
            #expect(!SecurityOptions.isOnThisMachine(target), "\(target)")
        }
    }

    @Test("colour names, strings and other values of JSON, and change nothing else")
    func colours() {
        let coloured = JSONColour.coloured("{\"a\\\"\": [\"b\", -1.5e3, true]}")
        #expect(
            coloured == "{\u{1b}[34m\"a\\\"\"\u{1b}[0m: [\u{1b}[32m\"b\"\u{1b}[0m, "
                + "\u{1b}[33m-1.5e3\u{1b}[0m, \u{1b}[33mtrue\u{1b}[0m]}")
    }

    @Test(
        "find messages in input that arrives in any parts", arguments: MessageFormat.Name.allCases)
    func splitting(_ name: MessageFormat.Name) throws {
        let format = MessageFormat(name: name)
        let input: [UInt8] =
            switch name {
            case .json: Array(" {\"a\": \"}\"}\n{} ".utf8)
            case .text: Array("a: 1\n\u{1e}\nb: 2\n".utf8)
            case .binary: [3, 1, 2, 3, 0, 1, 9]
            }
        let whole = try Self.messages([input[...]], format)
        #expect(whole.count == (name == .binary ? 3 : 2))
        for split in input.indices {
            #expect(try Self.messages([input[..<split], input[split...]], format) == whole)
        }
    }

    @Test(
        "are not moved again for each message of a large input",
        arguments: MessageFormat.Name.allCases.filter { $0 != .json })
    func manyMessages(_ name: MessageFormat.Name) throws {
        // Moving the rest of the input for each message would copy 80 GB.
        let format = MessageFormat(name: name)
        let message: [UInt8] = name == .text ? [0x61, 0x3a, 0x31, 0x1e] : [3, 8, 1, 0]
        let input = [[UInt8]](repeating: message, count: 200_000).joined()
        #expect(try Self.messages([ArraySlice(input)], format).count == 200_000)
    }

    @Test(
        "wait for the end of a message of any size that protobuf allows",
        arguments: MessageFormat.Name.allCases.filter { $0 != .json })
    func largeMessages(_ name: MessageFormat.Name) throws {
        for isStream in [false, true] {
            var splitter = MessageSplitter(MessageFormat(name: name), isStream: isStream)
            // The length of a binary message in a stream: 80 MiB.
            splitter.append([0x80, 0x80, 0x80, 0x28])
            splitter.append([UInt8](repeating: 0x20, count: 80 << 20))
            let message = try splitter.next()
            #expect((message == nil) == !(isStream && name == .binary))
        }
        // A byte more than 2³¹ − 1.
        var splitter = MessageSplitter(MessageFormat(name: .binary), isStream: true)
        splitter.append([0x80, 0x80, 0x80, 0x80, 0x08])
        #expect(throws: InputError.self) { _ = try splitter.next() }
        #expect(MessageSplitter.maxMessageByteCount == 0x7fff_ffff)
    }

    private static func messages(
        _ parts: [ArraySlice<UInt8>], _ format: MessageFormat
    ) throws -> [[UInt8]] {
        var splitter = MessageSplitter(format, isStream: true)
        var messages: [[UInt8]] = []
        for part in parts {
            splitter.append(Array(part))
            while let message = try splitter.next() { messages.append(message) }
        }
        if let last = try splitter.finish() { messages.append(last) }
        return messages
    }
}
