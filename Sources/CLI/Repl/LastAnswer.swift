import SwiftletDynamic

/// Inserts parts of the last answer into the next request.
struct LastAnswer {
    private static let maxDepth = 100

    /// The JSON of the answer; nil before the first answer.
    var json: [UInt8]?

    private enum Step {
        case member(String)
        case element(Int)
    }

    /// The text in which `$` is replaced by the JSON of the answer, and a path such as `$.items[0].id` by a
    /// part of it. A `$` inside a string is not replaced. Throws when there is no answer or no such part.
    func substituted(in text: String) throws -> String {
        var output = ""
        var rest = text[...]
        var isInString = false
        var isEscaped = false
        while let character = rest.popFirst() {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if character == "\\" {
                    isEscaped = true
                } else if character == "\"" {
                    isInString = false
                }
            } else if character == "\"" {
                isInString = true
            } else if character == "$" {
                output += String(decoding: try part(try Self.steps(&rest)), as: UTF8.self)
                continue
            }
            output.append(character)
        }
        return output
    }

    private func part(_ steps: [Step]) throws -> [UInt8] {
        guard var value = json else {
            throw LookupError(description: "'$' cannot be replaced: there is no answer yet")
        }
        for step in steps { value = try Self.part(step, of: value) }
        return value
    }

    private static func part(_ step: Step, of json: [UInt8]) throws -> [UInt8] {
        var scanner = JSONScanner(json, maxDepth: maxDepth)
        var found: Range<Int>?
        switch (step, try scanner.peek()) {
        case (.member(let wanted), .object):
            try scanner.object { scanner, name throws(FormatError) in
                let range = try Self.skip(&scanner)
                if name == wanted { found = range }
            }
        case (.element(let wanted), .list):
            try scanner.list { scanner, index throws(FormatError) in
                let range = try Self.skip(&scanner)
                if index == wanted { found = range }
            }
        default: break
        }
        guard let found else {
            let name =
                switch step {
                case .member(let name): "member '\(name)'"
                case .element(let index): "element \(index)"
                }
            throw LookupError(description: "the last answer has no \(name) there")
        }
        return Array(json[found])
    }

    private static func skip(_ scanner: inout JSONScanner) throws(FormatError) -> Range<Int> {
        _ = try scanner.peek()
        let start = scanner.index
        try scanner.skipValue()
        return start..<scanner.index
    }

    /// Reads the steps that follow a `$`.
    private static func steps(_ rest: inout Substring) throws -> [Step] {
        var steps: [Step] = []
        while let first = rest.first {
            if first == "." {
                let name = rest.dropFirst().prefix { $0.isLetter || $0.isNumber || $0 == "_" }
                guard !name.isEmpty else { return steps }
                steps.append(.member(String(name)))
                rest = rest[name.endIndex...]
            } else if first == "[" {
                let digits = rest.dropFirst().prefix(while: \.isNumber)
                guard let index = Int(digits), rest[digits.endIndex...].first == "]" else {
                    throw LookupError(description: "'$' has a '[' without a number and a ']'")
                }
                steps.append(.element(index))
                rest = rest[digits.endIndex...].dropFirst()
            } else {
                break
            }
        }
        return steps
    }
}
