import SwiftletMessages

/// Reads the value of an option that is a message in text format, and encodes it.
struct AggregateParser {
    /// How deep messages may be nested. A deeper value is rejected.
    private static let depthLimit = 100

    private var lexer: ProtoLexer
    private let file: LinkedFile
    private let symbols: SymbolTable
    private var depth = 0
    /// The kind of the declaration that has the option; nil where the targets of fields do not matter.
    private var target: OptionTarget?
    /// The edition of the file; nil inside an `Any`, where editions do not matter.
    private var edition: Google.Protobuf.Edition?
    /// The current message in `assigned`; nil inside a repeated field.
    private var node: OptionTree.Node? = .root
    /// The singular fields that were set. The root is the parsed message.
    private(set) var assigned = OptionTree()

    init(
        _ place: (range: Range<Int>, position: ProtoPosition), in file: LinkedFile,
        _ symbols: SymbolTable, for target: OptionTarget?
    ) {
        self.target = target
        edition = file.edition
        lexer = ProtoLexer(
            file.source, range: place.range, at: place.position, allowsHashComments: true)
        self.file = file
        self.symbols = symbols
        lexer.advance()
    }

    /// Encodes the whole value.
    mutating func parse(as message: LinkedMessage) throws(OptionProblem) -> [UInt8] {
        let bytes = try fields(of: message, until: "")
        if let problem = lexer.problems.all.first {
            throw OptionProblem(problem.message, at: problem.position)
        }
        return bytes
    }

    // MARK: - Tokens

    private func isNext(_ text: String) -> Bool {
        lexer.current.kind == .symbol && lexer.current.text == text
    }

    private mutating func take(if text: String) -> Bool {
        guard isNext(text) else { return false }
        lexer.advance()
        return true
    }

    private func failure(_ message: String) -> OptionProblem {
        OptionProblem(message, at: lexer.current.position)
    }

    private func unexpected(_ what: String) -> OptionProblem {
        let token = lexer.current
        let found = token.kind == .end ? "the end of the value" : "'\(token.shown)'"
        return failure("\(what) expected, not \(found)")
    }

    // MARK: - Messages

    /// Reads fields up to `close`, the sign that ends the message. If `close` is empty, reads to the end of
    /// the value.
    private mutating func fields(
        of message: LinkedMessage, until close: String
    ) throws(OptionProblem) -> [UInt8] {
        guard depth < Self.depthLimit else {
            throw failure("messages are nested more than \(Self.depthLimit) deep")
        }
        depth += 1
        defer { depth -= 1 }
        var encoder = AggregateEncoder(message)
        while !(close.isEmpty ? lexer.current.kind == .end : isNext(close)) {
            if lexer.current.kind == .end { throw unexpected("'\(close)'") }
            if isNext("["), message.fullName == "google.protobuf.Any" {
                try any(into: &encoder)
            } else {
                try field(of: message, into: &encoder)
            }
            if !take(if: ",") { _ = take(if: ";") }
        }
        let start = lexer.current.position
        do throws(OptionProblem) { return try encoder.finish() } catch {
            throw OptionProblem(error.message, at: start)
        }
    }

    private mutating func field(
        of message: LinkedMessage, into encoder: inout AggregateEncoder
    ) throws(OptionProblem) {
        let start = lexer.current.position
        let field = try fieldName(in: message)
        let hasColon = take(if: ":")
        let outer = (node, target)
        node = field.isRepeated ? nil : outer.0
        if field.message != nil { node = node.map { assigned.insert(field.number, in: $0) } }
        // As in protoc, the targets of fields in a group do not matter.
        if field.isDelimited { target = nil }
        defer { (node, target) = outer }
        func add(_ value: EncodedOption) throws(OptionProblem) {
            do throws(OptionProblem) {
                try field.check(value, for: outer.1, in: edition)
                try encoder.add(value, to: field)
            } catch {
                throw OptionProblem(error.message, at: start)
            }
            if field.message == nil, !field.isUnset(by: value), let node {
                _ = assigned.insert(field.number, in: node)
            }
        }
        if field.isRepeated, isNext("[") {
            guard hasColon || field.message != nil else { throw unexpected("':'") }
            lexer.advance()
            guard !take(if: "]") else { return }
            repeat { try add(try value(of: field, hasColon: true)) } while take(if: ",")
            guard take(if: "]") else { throw unexpected("',' or ']'") }
            return
        }
        try add(try value(of: field, hasColon: hasColon))
    }

    private mutating func value(
        of field: LinkedField, hasColon: Bool
    ) throws(OptionProblem) -> EncodedOption {
        if let message = field.message {
            let close = isNext("{") ? "}" : ">"
            guard take(if: "{") || take(if: "<") else { throw unexpected("'{'") }
            let bytes = try fields(of: message, until: close)
            lexer.advance()
            return field.isDelimited ? .group(bytes) : .bytes(bytes)
        }
        guard hasColon else { throw unexpected("':'") }
        let start = lexer.current.position
        let scalar = try scalar()
        do throws(OptionProblem) {
            return try scalar.encoded(for: field, isText: true)
        } catch {
            throw OptionProblem(error.message, at: start)
        }
    }

    private mutating func scalar() throws(OptionProblem) -> OptionScalar {
        let isNegative = take(if: "-")
        let token = lexer.current
        switch token.kind {
        case .string where !isNegative: return .string(try string())
        case .identifier:
            lexer.advance()
            guard isNegative else { return .identifier(token.text) }
            switch token.text.lowercased() {
            case "inf", "infinity": return .double(-.infinity)
            case "nan": return .double(.nan)
            default:
                throw OptionProblem("a number expected after '-'", at: token.position)
            }
        case .integer:
            lexer.advance()
            if let value = NumberLiteral.integer(token.text) {
                return .integer(value, isNegative: isNegative)
            }
        case .float: lexer.advance()
        default: throw unexpected("a value")
        }
        let value = NumberLiteral.double(token.text)
        return .double(isNegative ? -value : value)
    }

    private mutating func string() throws(OptionProblem) -> [UInt8] {
        var bytes: [UInt8] = []
        while lexer.current.kind == .string {
            let literal = StringLiteral(lexer.bytes[lexer.current.range])
            if let problem = literal.problem { throw failure(problem) }
            bytes += literal.bytes
            lexer.advance()
        }
        return bytes
    }

    // MARK: - Names

    private mutating func fieldName(in message: LinkedMessage) throws(OptionProblem) -> LinkedField
    {
        let start = lexer.current.position
        if take(if: "[") {
            let name = try bracketedName()
            guard let field = extensionField(name, of: message) else {
                throw OptionProblem(
                    "'\(message.fullName)' has no extension '\(name)'", at: start)
            }
            return field
        }
        guard lexer.current.kind == .identifier else { throw unexpected("the name of a field") }
        let name = lexer.current.text
        lexer.advance()
        if let field = message.field(named: name) { return field }
        // A group is named after its message.
        if let field = message.field(named: name.lowercased()), field.isDelimited { return field }
        throw OptionProblem("'\(message.fullName)' has no field '\(name)'", at: start)
    }

    /// A name with dots and slashes, up to `]`.
    private mutating func bracketedName() throws(OptionProblem) -> String {
        var name = ""
        while !take(if: "]") {
            let token = lexer.current
            guard token.kind == .identifier || isNext(".") || isNext("/") || isNext("-") else {
                throw unexpected("']'")
            }
            name += token.text
            lexer.advance()
        }
        return name
    }

    private func extensionField(_ name: String, of message: LinkedMessage) -> LinkedField? {
        let found = symbols.find(
            name, in: message.fullName, from: file, typesOnly: false, forOptions: true)
        guard case .found(let symbol, _) = found else { return nil }
        switch symbol.kind {
        case .field(let field) where field.isExtension && field.container === message:
            return field
        case .message(let type) where message.isMessageSet:
            // A message set may name the type of the extension instead.
            return symbols.messageSetExtension(of: message, type)
        default: return nil
        }
    }

    // MARK: - Any

    /// The start of a type's URL. Others could name other types, which only their host knows.
    private static let hosts = ["type.googleapis.com/", "type.googleprod.com/"]

    /// `[host/full.Name] { … }`
    private mutating func any(into encoder: inout AggregateEncoder) throws(OptionProblem) {
        let start = lexer.current.position
        lexer.advance()
        let url = try bracketedName()
        guard let host = Self.hosts.first(where: url.hasPrefix) else {
            throw OptionProblem(
                "the type of an Any is written '\(Self.hosts[0])full.Name', not '\(url)'", at: start
            )
        }
        let name = String(url.dropFirst(host.count))
        guard let symbol = symbols[name], case .message(let type) = symbol.kind else {
            throw OptionProblem("unknown type '\(name)' in a value of Any", at: start)
        }
        file.use(symbol.file)
        _ = take(if: ":")
        let close = isNext("{") ? "}" : ">"
        guard take(if: "{") || take(if: "<") else { throw unexpected("'{'") }
        let outer = (node, target, edition)
        (node, target, edition) = (nil, nil, nil)
        defer { (node, target, edition) = outer }
        let bytes = try fields(of: type, until: close)
        lexer.advance()
        do throws(OptionProblem) { try encoder.addAny(url: Array(url.utf8), bytes) } catch {
            throw OptionProblem(error.message, at: start)
        }
    }
}
