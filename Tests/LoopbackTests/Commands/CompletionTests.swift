import Foundation
import TestSupport
import Testing

@testable import SwiftletCLI

@Suite("Completions and the manual page", .timeLimit(.minutes(5)))
struct CompletionTests {
    @Test("name every command and option")
    func complete() {
        let texts = [
            BashCompletion.text(Main.commands), ZshCompletion.text(Main.commands),
            FishCompletion.text(Main.commands), ManualPage.text(Main.commands),
        ]
        for (index, text) in texts.enumerated() {
            for command in Main.commands {
                #expect(text.contains(command.name), "\(index)")
                for option in command.options where index != 3 || !option.help.isEmpty {
                    for name in option.names {
                        let escaped = index == 3 ? name.replacing("-", with: "\\-") : name
                        #expect(text.contains(escaped), "\(index): \(command.name) \(name)")
                    }
                }
            }
        }
    }

    #if os(Linux)
        @Test("fail when they cannot be written, however long they are")
        func fullDisk() throws {
            for command in ["man", "completion bash", "--help"] {
                let process = try ChildProcess(
                    "/bin/sh", ["-c", "exec \"$0\" \(command) > /dev/full", Program.url.path])
                #expect(process.wait() == 1, "\(command)")
            }
        }
    #endif

    private static let cases: [(words: String, offered: [String], absent: [String])] = [
        ("swiftlet de", ["describe", "demo"], ["call"]),
        ("swiftlet call --format t", ["text"], ["json"]),
        ("swiftlet bench --output h", ["html"], []),
        ("swiftlet call --emit", ["--emit-defaults"], []),
        ("swiftlet help cal", ["call"], []), ("swiftlet call -H x", [], ["call"]),
        ("swiftlet check --w", ["--warnings-as-errors"], []),
        ("swiftlet channelz --format j", ["json"], ["text", "binary"]),
        ("swiftlet call -v", ["-vv"], []),
    ]

    @Test("are offered by bash", arguments: cases)
    func bash(words: String, offered: [String], absent: [String]) async throws {
        let file = try TemporaryFile(BashCompletion.text(Main.commands), suffix: ".bash")
        let list = words.split(separator: " ").map { "'\($0)'" }
        let script = """
            source '\(file.path)'
            COMP_WORDS=(\(list.joined(separator: " "))); COMP_CWORD=\(list.count - 1)
            _swiftlet
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let output = try await Self.run("bash", ["-c", script])
        let found = Set(output.split(separator: "\n").map(String.init))
        #expect(found.isSuperset(of: offered), "\(output)")
        #expect(found.isDisjoint(with: absent))
    }

    @Test(
        "are offered by zsh", .enabled(if: isInstalled("zsh"), "there is no zsh"),
        arguments: cases)
    func zsh(words: String, offered: [String], absent: [String]) async throws {
        let folder = try TemporaryFolder()
        try folder.write(ZshCompletion.text(Main.commands), to: "_swiftlet")
        // Completion needs zsh's line editor, so the script types into a zsh that has its own terminal, and
        // writes the arguments of compadd to a file.
        let script = #"""
            zmodload zsh/zpty
            zpty shell zsh -f -i
            typed() { zpty -w shell "$1"; zpty -r -m shell output "*$2*" }
            typed "fpath=('\#(folder.path)' \$fpath)
            autoload -Uz compinit; compinit -D -u
            compadd() {
              local -a found
              builtin compadd -O found \"\$@\"
              print -rl -- \$found >>'\#(folder.path)/offered'
              builtin compadd \"\$@\"
            }
            PS1=; print -r re''ady" ready
            zpty -w -n shell '\#(words)'$'\t'
            zpty -w -n shell $'\x15'
            typed "print -r en''ded" ended
            zpty -d shell
            """#
        _ = try await Self.run("zsh", ["-f", "-c", script])
        let found = try folder.lines(of: "offered")
        #expect(found.isSuperset(of: offered), "\(found)")
        #expect(found.isDisjoint(with: absent), "\(found)")
    }

    @Test(
        "are offered by fish", .enabled(if: isInstalled("fish"), "there is no fish"),
        arguments: cases)
    func fish(words: String, offered: [String], absent: [String]) async throws {
        let folder = try TemporaryFolder()
        try folder.write(FishCompletion.text(Main.commands), to: "swiftlet.fish")
        let output = try await Self.run(
            "fish",
            ["--no-config", "-c", "source '\(folder.path)/swiftlet.fish'; complete -C '\(words)'"])
        // A description follows a tab.
        let found = Set(
            output.split(separator: "\n").compactMap { line in
                line.split(separator: "\t").first.map(String.init)
            })
        #expect(found.isSuperset(of: offered), "\(output)")
        #expect(found.isDisjoint(with: absent), "\(output)")
    }

    private static func isInstalled(_ program: String) -> Bool {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(program)")
        }
    }

    private static func run(_ program: String, _ arguments: [String]) async throws -> String {
        try await onThread {
            let process = try ChildProcess("/usr/bin/env", [program] + arguments)
            let output = try process.allOutput()
            #expect(process.wait() == 0)
            return output
        }
    }

    @Test("are printed by commands")
    func commands() async throws {
        for shell in ["bash", "zsh", "fish"] {
            let run = try await Program.run(["completion", shell])
            #expect(run.status == 0)
            #expect(run.output.hasPrefix("#"))
        }
        #expect(
            try await Program.run(["completion", "bsh"]).errors.contains("did you mean 'bash'"))
        #expect(try await Program.run(["man"]).output.hasPrefix(".TH SWIFTLET 1"))
    }

    @Test("have no line in the manual page that man(7) reads as a request by accident")
    func manual() {
        let requests: Set = ["TH", "SH", "SS", "TP", "PP", "B", "BR", "I", "nf", "fi"]
        for line in ManualPage.text(Main.commands).split(separator: "\n") {
            #expect(!line.hasPrefix("'"))
            guard line.hasPrefix(".") else { continue }
            let request = line.dropFirst().prefix { $0 != " " }
            #expect(requests.contains(String(request)), "\(line)")
        }
    }

    @Test("contain the kind of an option's value")
    func values() {
        func completion(_ name: String) -> ValueCompletion {
            ValueCompletion(.value("a", named: name, help: ""))
        }
        #expect(completion("json|text") == .words(["json", "text"]))
        #expect(completion("JSON|@FILE") == .files)
        #expect(completion("FILE|system") == .files)
        #expect(completion("DIR") == .files)
        #expect(completion("TIME") == .none)
        #expect(ValueCompletion(.flag("a", help: "")) == .none)
    }
}
