import Foundation

/// The types that a Swift source declares, and the names that it uses. It reads tokens and not the grammar.
/// Comments and the text of string literals are left out, but interpolations are kept.
struct TypeUses {
    /// Types at the top level that other files can name.
    var declared: Set<String> = []
    /// All types, including nested and private ones. Their names hide types of other folders.
    var ownNames: Set<String> = []
    /// Every capitalized name that does not follow a dot.
    var used: Set<String> = []

    init(source: String) {
        var depth = 0
        var isPrivate = false
        var previous = ""
        for token in Self.tokens(of: source) {
            switch token {
            case "{": depth += 1
            case "}": depth -= 1
            case "private", "fileprivate": isPrivate = depth == 0
            case "func", "var", "let", "extension", "init", "import": isPrivate = false
            default: break
            }
            if Self.keywords.contains(previous), token.first?.isLetter == true {
                ownNames.insert(token)
                if depth == 0, !isPrivate { declared.insert(token) }
                isPrivate = false
            } else if previous != ".", token.first?.isUppercase == true {
                used.insert(token)
            }
            previous = token
        }
    }

    private static let keywords: Set<String> = [
        "struct", "class", "enum", "protocol", "actor", "typealias",
    ]
}

extension TypeUses {
    /// Splits a source into tokens. A token is a name or one other character that is not a space.
    private static func tokens(of source: String) -> [String] {
        var tokens: [String] = []
        var name = ""
        for character in code(of: source) {
            if character.isLetter || character.isNumber || character == "_" {
                name.append(character)
                continue
            }
            if !name.isEmpty { tokens.append(name) }
            name = ""
            if !character.isWhitespace { tokens.append(String(character)) }
        }
        return name.isEmpty ? tokens : tokens + [name]
    }

    /// The source without comments and without the text of string literals.
    private static func code(of source: String) -> String {
        var code = ""
        for line in source.split(separator: "\n", omittingEmptySubsequences: false) {
            var isText = false
            var openParentheses: [Int] = []
            var rest = line[...]
            while let character = rest.popFirst() {
                switch character {
                case "/" where !isText && rest.first == "/": rest = ""
                case "\\" where isText && rest.first == "(":
                    isText = false
                    openParentheses.append(0)
                case "\\" where isText: rest = rest.dropFirst()
                case "\"": isText.toggle()
                case "(" where !isText && !openParentheses.isEmpty:
                    openParentheses[openParentheses.count - 1] += 1
                case ")" where !isText && !openParentheses.isEmpty:
                    openParentheses[openParentheses.count - 1] -= 1
                    if openParentheses.last == 0 {
                        openParentheses.removeLast()
                        isText = true
                    }
                default: if !isText { code.append(character) }
                }
            }
            code.append("\n")
        }
        return code
    }
}
