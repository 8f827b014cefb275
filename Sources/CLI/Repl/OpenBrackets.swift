/// The objects, lists and strings that are open at the end of a text. Reads only the characters that were added since
/// the last time, so that a text of many lines is read once.
struct OpenBrackets {
    private var cursor = JSONCursor("")
    /// Whether the first bracket was read. The text before it is no JSON.
    private var hasBegun = false
    /// How many characters were read.
    private(set) var count = 0

    /// Whether no object, list or string is open.
    var isEmpty: Bool { cursor.isBalanced }

    /// Reads a text that begins with the characters that were read before.
    mutating func read(_ characters: [Character]) {
        for character in characters[count...] {
            hasBegun = hasBegun || character == "{" || character == "["
            if hasBegun { cursor.read(character) }
        }
        count = characters.count
    }
}
