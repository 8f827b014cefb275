/// Spells names of a `.proto` file as Swift does.
///
/// A descriptor can come from a server. So characters that are not allowed in identifiers are
/// replaced, and the result is an identifier for any input.
enum SwiftSpelling {
    /// `response_size` becomes `responseSize`, and `NOT_SERVING` becomes `notServing`.
    static func property(_ name: String) -> String {
        let words = words(of: name)
        guard let first = words.first else { return identifier("") }
        let rest = words.dropFirst().map { capitalized($0) }.joined()
        return identifier(uncapitalized(first) + rest)
    }

    /// `route_guide` becomes `RouteGuide`.
    static func package(_ name: String) -> String {
        identifier(words(of: name).map { capitalized($0) }.joined())
    }

    /// `point` becomes `Point`. Underscores are kept.
    static func type(_ name: String) -> String {
        identifier(uppercasingFirst(String(name.map { isWordCharacter($0) ? $0 : "_" })))
    }

    /// `SayHello`, as the `.proto` file spells it.
    static func verbatim(_ name: String) -> String {
        identifier(String(name.map { isWordCharacter($0) ? $0 : "_" }))
    }

    /// `FooBar` and `HTTPCode` become `FOO_BAR` and `HTTP_CODE`: the prefix of an enum's values.
    static func upperSnake(_ name: String) -> String {
        var result = ""
        let characters = Array(name)
        for (index, character) in characters.enumerated() {
            if character.isUppercase, index > 0, characters[index - 1] != "_" {
                let endsWord = !characters[index - 1].isUppercase
                let beginsWord = index + 1 < characters.count && characters[index + 1].isLowercase
                if endsWord || beginsWord { result.append("_") }
            }
            result += character.uppercased()
        }
        return result
    }
}

// MARK: - Words

extension SwiftSpelling {
    /// Words that are written in one case: `server_id` is `serverID`.
    private static let acronyms: Set = ["id", "url", "http", "https"]

    private static func words(of name: String) -> [String] {
        name.split { !isWordCharacter($0) || $0 == "_" }.map { word in
            word.contains(where: \.isLowercase) ? String(word) : word.lowercased()
        }
    }

    private static func capitalized(_ word: String) -> String {
        acronyms.contains(word) ? word.uppercased() : uppercasingFirst(word)
    }

    /// `FooBar` becomes `fooBar`, and `HTTPCode` becomes `httpCode`.
    private static func uncapitalized(_ word: String) -> String {
        let capitals = word.prefix(while: \.isUppercase).count
        let isOneWord = capitals == word.count || capitals < 2
        let count = isOneWord ? capitals : capitals - 1
        return word.prefix(count).lowercased() + word.dropFirst(count)
    }

    private static func uppercasingFirst(_ word: String) -> String {
        word.prefix(1).uppercased() + word.dropFirst()
    }

    private static func isWordCharacter(_ character: Character) -> Bool {
        character == "_" || character.isASCII && (character.isLetter || character.isNumber)
    }

    /// Puts an underscore before a leading digit. An empty name becomes `unnamed`, and so does an underscore, which
    /// is a keyword.
    private static func identifier(_ name: String) -> String {
        guard let first = name.first, name != "_" else { return "unnamed" }
        return first.isNumber ? "_" + name : name
    }
}
