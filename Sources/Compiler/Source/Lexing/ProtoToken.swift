/// A word, number, string or sign of a `.proto` file.
struct ProtoToken {
    enum Kind {
        case start
        case identifier
        case integer
        case float
        case string
        case symbol
        case end
    }

    var kind: Kind
    /// The text as the file spells it. Strings include their quotation marks and escapes.
    var text: String
    /// The range of the token in the bytes of the source.
    var range: Range<Int>
    var position: ProtoPosition
    /// The column after the token. A token always ends on its line.
    var endColumn: Int32

    /// The beginning of the text, for an error. Counted in scalars, because a character has any number of marks.
    var shown: String { String(text.unicodeScalars.prefix(40)) }
}

/// A place in a file: line and column from 0, as descriptors count them.
struct ProtoPosition: Hashable {
    var line: Int32 = 0
    /// In bytes; a tab ends at the next multiple of 8.
    var column: Int32 = 0
}

/// A mistake and its place, before the name of the file is added.
struct ProtoProblem {
    var position: ProtoPosition?
    var message: String
}

/// Collects the mistakes in one file. Keeps only the first 100, to bound the memory for a hostile file.
struct ProtoProblems {
    private static let limit = 100
    /// The most Unicode scalars of one error text. Longer texts are cut.
    private static let maxMessageLength = 500

    private(set) var all: [ProtoProblem] = []

    var isEmpty: Bool { all.isEmpty }
    var isFull: Bool { all.count >= Self.limit }

    mutating func add(_ message: String, at position: ProtoPosition?) {
        guard !isFull else { return }
        // Names in error texts can be as long as the file.
        let text = String(message.unicodeScalars.prefix(Self.maxMessageLength))
        all.append(ProtoProblem(position: position, message: text))
    }
}
