import SwiftletMessages

/// Reads a `.proto` file into its descriptor, before names are looked up and options are interpreted.
///
/// If a statement cannot be read, the problem is reported, and parsing continues after the statement.
struct ProtoParser {
    typealias File = Google.Protobuf.FileDescriptorProto
    typealias Location = Google.Protobuf.SourceCodeInfo.Location
    typealias Edition = Google.Protobuf.Edition

    /// Thrown when a statement cannot be read. The reason is among the lexer's problems.
    struct BrokenStatement: Error {}

    /// How deep messages and groups may be nested. More is an error.
    static let depthLimit = 31

    var lexer: ProtoLexer
    var file = File()
    var locations: [Location] = []
    /// The place of each aggregate value, keyed by the path of its option.
    var aggregates = AggregateSources()
    var depth = 0
    /// The source of the options that were copied to the other ranges of their statements, in bytes.
    var repeatedOptionByteCount = 0
    static let maxRepeatedOptionByteCount = 1_000_000

    /// The comments before the current declaration. They are added to its location when its opening brace or
    /// its end is read.
    private var leading = ""
    private var detached: [String] = []

    private init(_ bytes: [UInt8]) { lexer = ProtoLexer(bytes) }

    /// Parses the whole file.
    static func parse(_ bytes: [UInt8], name: String) -> ParsedFile {
        var parser = ProtoParser(bytes)
        parser.file.name = name
        parser.skipToFirstToken()
        parser.parseFile()
        parser.file.sourceCodeInfo = .with { $0.location = parser.locations }
        return ParsedFile(
            file: parser.file, bytes: bytes, aggregates: parser.aggregates,
            problems: parser.lexer.problems)
    }

    var isEditions: Bool { file.syntax == "editions" }
    var isProto3: Bool { file.syntax == "proto3" }
    var isEdition2024: Bool { (file.edition?.rawValue ?? 0) >= Edition.edition2024.rawValue }
}

/// A file that was read, and its mistakes.
struct ParsedFile {
    var file: Google.Protobuf.FileDescriptorProto
    var bytes: [UInt8]
    var aggregates: AggregateSources
    var problems: ProtoProblems
}

/// The places of the texts of aggregate options in the source.
struct AggregateSources {
    private var places: [(range: Range<Int>, position: ProtoPosition)] = []

    /// Adds a place, and returns the text that represents it until the option is interpreted.
    mutating func add(_ range: Range<Int>, at position: ProtoPosition) -> String {
        places.append((range, position))
        return String(places.count - 1)
    }

    /// The place for which ``add(_:at:)`` has returned `key`.
    subscript(key: String) -> (range: Range<Int>, position: ProtoPosition)? {
        guard let index = Int(key), places.indices.contains(index) else { return nil }
        return places[index]
    }
}

// MARK: - Tokens

extension ProtoParser {
    func isNext(_ text: String) -> Bool { lexer.current.text == text }

    func isNext(_ kind: ProtoToken.Kind) -> Bool { lexer.current.kind == kind }

    var isAtEnd: Bool { lexer.current.kind == .end || lexer.problems.isFull }

    mutating func take(if text: String) -> Bool {
        guard isNext(text), lexer.current.kind != .string else { return false }
        lexer.advance()
        return true
    }

    mutating func expect(_ text: String) throws(BrokenStatement) {
        guard take(if: text) else { throw unexpected("'\(text)'") }
    }

    mutating func identifier(_ what: String) throws(BrokenStatement) -> String {
        guard isNext(.identifier) else { throw unexpected(what) }
        defer { lexer.advance() }
        return lexer.current.text
    }

    /// Reads a string, and joins it with the strings that follow directly.
    mutating func string(_ what: String) throws(BrokenStatement) -> [UInt8] {
        guard isNext(.string) else { throw unexpected(what) }
        var bytes: [UInt8] = []
        while isNext(.string) {
            let literal = StringLiteral(lexer.bytes[lexer.current.range])
            if let problem = literal.problem { lexer.fail(problem) }
            bytes += literal.bytes
            lexer.advance()
        }
        return bytes
    }

    /// Reads a string that must be UTF-8.
    mutating func text(_ what: String) throws(BrokenStatement) -> String {
        let place = lexer.current.position
        let bytes = try string(what)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            lexer.fail("the string is not UTF-8", at: place)
            return ""
        }
        return text
    }

    /// Reads a string that is a name: of a file, a syntax, a declaration. It is compared and used as a key, so it must
    /// be text that Swift compares in linear time.
    mutating func nameText(_ what: String) throws(BrokenStatement) -> String {
        let place = lexer.current.position
        let text = try text(what)
        guard CombiningMarks.areBounded(in: text) else {
            throw failure(
                "the name has more than \(CombiningMarks.maxRun) combining marks in a row",
                at: place)
        }
        return text
    }

    mutating func unsigned(max: UInt64, _ what: String) throws(BrokenStatement) -> UInt64 {
        guard isNext(.integer) else { throw unexpected(what) }
        let value = NumberLiteral.integer(lexer.current.text, max: max)
        if value == nil { lexer.fail("the number is too large (at most \(max))") }
        lexer.advance()
        return value ?? 0
    }

    mutating func int32(_ what: String) throws(BrokenStatement) -> Int32 {
        Int32(try unsigned(max: UInt64(Int32.max), what))
    }

    mutating func signedInt32(_ what: String) throws(BrokenStatement) -> Int32 {
        let isNegative = take(if: "-")
        let magnitude = try unsigned(max: UInt64(Int32.max) + (isNegative ? 1 : 0), what)
        return Int32(isNegative ? -Int64(magnitude) : Int64(magnitude))
    }

    /// Reads a number for a float, which may be an integer, `inf` or `nan`.
    mutating func double() throws(BrokenStatement) -> Double {
        let token = lexer.current
        switch token.kind {
        case .float: break
        case .integer where NumberLiteral.integer(token.text) != nil:
            lexer.advance()
            return Double(NumberLiteral.integer(token.text) ?? 0)
        case .integer where !token.text.hasPrefix("0"): break
        case .integer: lexer.fail("the number is too large")
        case .identifier where token.text == "inf":
            lexer.advance()
            return .infinity
        case .identifier where token.text == "nan":
            lexer.advance()
            return .nan
        default: throw unexpected("a number")
        }
        lexer.advance()
        return NumberLiteral.double(token.text)
    }

    /// Reports that `what` was expected instead of the current token.
    mutating func unexpected(_ what: String) -> BrokenStatement {
        let token = lexer.current
        let found = token.kind == .end ? "the end of the file" : "'\(token.shown)'"
        return failure("\(what) expected, not \(found)")
    }

    mutating func failure(_ message: String, at position: ProtoPosition? = nil) -> BrokenStatement {
        lexer.fail(message, at: position)
        return BrokenStatement()
    }
}

// MARK: - Locations

extension ProtoParser {
    /// Starts a location at the current token, or at an earlier one.
    mutating func open(_ path: ProtoPath, at start: ProtoPosition? = nil) -> Int {
        let start = start ?? lexer.current.position
        locations.append(
            .with {
                $0.path = path
                $0.span = [start.line, start.column]
            })
        return locations.count - 1
    }

    /// Ends a location at the end of the previous token.
    mutating func close(_ location: Int) { end(location, with: lexer.previous) }

    mutating func end(_ location: Int, with token: ProtoToken) {
        if locations[location].span[0] != token.position.line {
            locations[location].span.append(token.position.line)
        }
        locations[location].span.append(token.endColumn)
    }

    /// Adds the location of one token.
    mutating func mark(_ path: ProtoPath, _ token: ProtoToken) {
        end(open(path, at: token.position), with: token)
    }
}

// MARK: - Comments

extension ProtoParser {
    mutating func skipToFirstToken() {
        let comments = lexer.advanceWithComments()
        leading = comments.leading
        detached = comments.detached
    }

    /// Consumes the sign that opens or ends a declaration. The comments of the sign belong to `location`.
    mutating func take(endOf location: Int?, if text: String) -> Bool {
        guard isNext(text), lexer.current.kind == .symbol else { return false }
        let comments = lexer.advanceWithComments()
        if let location {
            if !leading.isEmpty { locations[location].leadingComments = leading }
            if !comments.trailing.isEmpty {
                locations[location].trailingComments = comments.trailing
            }
            locations[location].leadingDetachedComments = detached
            detached = comments.detached
        } else if text == "}" {
            detached = comments.detached
        } else {
            detached += comments.detached
        }
        leading = comments.leading
        return true
    }

    mutating func expect(endOf location: Int?, _ text: String) throws(BrokenStatement) {
        guard take(endOf: location, if: text) else { throw unexpected("'\(text)'") }
    }
}

// MARK: - Recovery

extension ProtoParser {
    /// Skips to the end of the statement: after `;` or a block, or before `}`.
    mutating func skipStatement() {
        while !isAtEnd {
            if take(endOf: nil, if: ";") { return }
            if isNext("{"), isNext(.symbol) { return skipBlock() }
            if isNext("}"), isNext(.symbol) { return }
            lexer.advance()
        }
    }

    private mutating func skipBlock() {
        var depth = 0
        while !isAtEnd {
            if isNext(.symbol), isNext("{") { depth += 1 }
            if isNext(.symbol), isNext("}") {
                depth -= 1
                if depth == 0 {
                    _ = take(endOf: nil, if: "}")
                    return
                }
            }
            lexer.advance()
        }
    }

    /// Reads statements up to the closing brace, and skips those that are broken.
    mutating func block(
        of what: String,
        _ statement: (inout ProtoParser) throws(BrokenStatement) -> Void
    ) throws(BrokenStatement) {
        while !take(endOf: nil, if: "}") {
            if isAtEnd { throw failure("the file ends inside \(what) ('}' expected)") }
            if take(endOf: nil, if: ";") { continue }
            do throws(BrokenStatement) { try statement(&self) } catch { skipStatement() }
        }
    }
}

extension Google.Protobuf.SourceCodeInfo.Location {
    /// The start of the span.
    var start: ProtoPosition { ProtoPosition(line: span[0], column: span[1]) }
}
