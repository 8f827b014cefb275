import Foundation
import Testing

/// The tables of Tests/Protoc. `Tests/Protoc/run` compares them with protoc.
enum ProtoTable {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        /// The text of `case.proto` and of the files that it imports.
        var files: [String: String]

        var testDescription: String { name }
    }

    static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    static let legal = cases(in: "legal.txt")
    static let illegal = cases(in: "illegal.txt")

    private static func cases(in file: String) -> [Case] {
        let url = root.appending(path: "Tests/Protoc/\(file)")
        let text = (try? String(contentsOf: url, encoding: .utf8)) ?? ""
        return parts(of: "\n" + text, behind: "\n=== ").dropFirst().map { part in
            let (name, rest) = firstLine(of: part)
            let files = parts(of: "\n" + rest, behind: "\n--- ")
            var sources = ["case.proto": String((files.first ?? "").dropFirst())]
            for file in files.dropFirst() {
                let (name, text) = firstLine(of: file)
                sources[name] = text
            }
            return Case(name: name, files: sources)
        }
    }

    private static func parts(of text: String, behind separator: String) -> [String] {
        text.components(separatedBy: separator)
    }

    private static func firstLine(of text: String) -> (line: String, rest: String) {
        let parts = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
        return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
    }
}
