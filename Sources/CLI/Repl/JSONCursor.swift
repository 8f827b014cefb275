/// The position at the end of a JSON text that may be incomplete, and the tokens that may follow there.
struct JSONCursor {
    enum Place: Equatable {
        /// The name of a member. `partial` is the part of the name that was typed, without the quotation mark.
        case name(partial: String, isQuoted: Bool)
        /// A value; `isQuoted` if its quotation mark was typed.
        case value(partial: String, isQuoted: Bool)
        /// A comma, a colon or a bracket.
        case punctuation
        /// After the end of the value.
        case end
    }

    private struct Container {
        let isObject: Bool
        /// The name of the last member.
        var name: String?
        /// The names of all members.
        var names: Set<String> = []
    }

    private var containers: [Container] = []
    private var token = ""
    private var isInString = false
    private var isEscaped = false
    private var expectsValue = true
    private var expectsName = false
    private var isOver = false

    init(_ text: String) {
        for character in text { read(character) }
    }

    /// The names of the members that enclose the cursor, outermost first; nil for a list element.
    var path: [String?] { containers.map(\.name) }

    /// The names that the innermost object already contains.
    var names: Set<String> { containers.last?.names ?? [] }

    /// Whether no object, list or string is open.
    var isBalanced: Bool { containers.isEmpty && !isInString }

    var place: Place {
        if isOver { return .end }
        if expectsName { return .name(partial: token, isQuoted: isInString) }
        if expectsValue { return .value(partial: token, isQuoted: isInString) }
        return .punctuation
    }

    mutating func read(_ character: Character) {
        if isInString { return readInString(character) }
        switch character {
        case "\"":
            isInString = true
            token = ""
        case "{":
            containers.append(Container(isObject: true))
            expect(name: true)
        case "[":
            containers.append(Container(isObject: false))
            expect(name: false)
        case "}", "]":
            if !containers.isEmpty { containers.removeLast() }
            finishValue()
        case ":": expect(name: false)
        case ",": expect(name: containers.last?.isObject == true)
        case _ where character.isWhitespace:
            if !token.isEmpty, expectsValue { finishValue() }
        default: token.append(character)
        }
    }

    private mutating func readInString(_ character: Character) {
        if isEscaped {
            isEscaped = false
            token.append(character)
        } else if character == "\\" {
            isEscaped = true
        } else if character == "\"" {
            isInString = false
            expectsName ? finishName() : finishValue()
        } else {
            token.append(character)
        }
    }

    private mutating func expect(name: Bool) {
        isOver = false
        token = ""
        expectsName = name
        expectsValue = !name
    }

    private mutating func finishName() {
        if let last = containers.indices.last {
            containers[last].name = token
            containers[last].names.insert(token)
        }
        token = ""
        expectsName = false
        expectsValue = false
    }

    private mutating func finishValue() {
        token = ""
        expectsName = false
        expectsValue = false
        // In a stream, another value may follow.
        if containers.isEmpty { isOver = true }
    }
}
