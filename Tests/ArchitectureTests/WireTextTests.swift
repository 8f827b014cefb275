import Foundation
import Testing

/// Swift compares and hashes strings by their normal form, in quadratic time for many combining marks. So code that
/// sees text of a peer works on bytes, or on text that has passed the check of `WireText`.
@Suite("Code that sees text of a peer")
struct WireTextTests {
    /// Files and folders of the sources that read text from a peer.
    static let readers = [
        "HTTP1", "Transport/HTTP2/Fields", "Balancing/DNS/DNSAnswer.swift",
        "Core/Wire", "Core/Retry/RetryPushback.swift", "Balancing/Reports",
        "Core/Connecting/ProxyHandshake.swift",
        "JSONText", "JSON/JSONReader.swift", "Observation/Metrics/MetricTotals+Prometheus.swift",
        "JSONRPC/JSONBody.swift", "JSONRPC/JSONKeys.swift", "JSONRPC/JSONRPC.swift",
        "JSONRPC/JSONRPCBatch.swift", "JSONRPC/JSONTree.swift", "Loopback/Server/RequestInfo.swift",
        "Loopback/Server/RequestRules.swift", "Loopback/Services/ReflectionService.swift",
        "Loopback/Services/HealthService.swift", "Dynamic/Reflection", "Schema/Declarations",
        "Dynamic/JSON/JSONReader.swift", "Dynamic/JSON/JSONReader+Values.swift",
        "Dynamic/JSON/JSONReader+WellKnown.swift", "Dynamic/JSON/FieldMaskText.swift",
        "Dynamic/JSON/SecondsText.swift", "Dynamic/Message/AnyContent.swift",
        "Compiler/Source", "Schema/Escapes.swift", "Dynamic/Text", "CLI/Channelz",
        "CLI/Console/JSONColour.swift",
        "CLI/Bench/SVGChart.swift", "Messages/Kinds", "XDS",
    ]

    /// Comparisons, keys and walks of text. A literal of a string is written as "…".
    static let costly = [
        #"[!=]= "…""#, #"\bcase "…""#, #"case _ where .*"…""#, #"\.has(Prefix|Suffix)\("#,
        #"\.(lower|upper)cased\(\)"#, #"\[String: "#, #"\bDictionary<String"#, #"\bSet<String>"#,
        #"for character in\b"#, #"\bcharacters?\b.* in$"#,
        #"\.(split|firstIndex|lastIndex|contains|range)\((separator: |of: )?"…""#,
        #"\.(count|first|last)\b.*\bCharacter\b"#,
    ]

    /// Why a line may do so: parts of lines, by the file.
    static let allowed: [String: [(part: String, reason: String)]] = [
        "HTTP1/HTTP1+FieldLine.swift": [
            (#"case "…""#, "the name of a field is a token of ASCII")
        ],
        "HTTP1/HTTP1+StartLine.swift": [
            (#"target == "…", method == "…""#, "both are checked for ASCII"),
            ("asciiLowercased.hasPrefix", "the target is checked for ASCII"),
        ],
        "HTTP1/HTTP1.swift": [(#"method == "…""#, "the method is a token of ASCII")],
        "Core/Wire/Method.swift": [("path.lastIndex", "the path is checked for ASCII")],
        "Core/Wire/PlainExchange.swift": [("name.hasPrefix", "names of headers are ASCII")],
        "Balancing/Reports/ProtobufReader.swift": [
            ("into map: inout [String: Double]", "only checked names are inserted")
        ],
        "Core/Wire/ResponseHead.swift": [
            ("name.hasSuffix", "names of headers are ASCII"),
            (#"case "…", "…", "…""#, "names of headers are ASCII"),
        ],
        "JSON/JSONReader.swift": [
            ("var members: [String: ConfigValue]", "only checked keys are inserted")
        ],
        "Observation/Metrics/MetricTotals+Prometheus.swift": [
            (#"case "…": "…""#, "units of the library's instruments")
        ],
        "JSONRPC/JSONBody.swift": [("_ fields: [String: [UInt8]]", "fields of a request")],
        "JSONRPC/JSONRPC.swift": [
            ("additionalFields", "fields of a request"),
            ("_ fields: [String: JSONValue]", "fields of a request"),
            ("var fields: [String: [UInt8]]", "fields of a request"),
        ],
        "JSONRPC/JSONTree.swift": [
            ("var values: [String: JSONValue]", "the reader has checked the keys")
        ],
        "Loopback/Server/RequestInfo.swift": [
            (#"case "…""#, "names of headers are ASCII"),
            ("name.has", "names of headers are ASCII"),
            ("list.split", "the list is bounded"), ("name.filter", "the list is bounded"),
        ],
        "Loopback/Server/RequestRules.swift": [
            ("seenOnce", "names of headers are ASCII"), ("case ", "values are bounded"),
            ("name.has", "names of headers are ASCII"), ("path.", "values are bounded"),
        ],
        "Loopback/Services/HealthService.swift": [("[String: ", "names in requests are bounded")],
        "Loopback/Services/ReflectionService.swift": [
            ("var ", "names in requests are checked"),
            ("extended.hasPrefix", "descriptors of the program"),
            ("case _ where !Self.hasBoundedNames", "this is the check"),
        ],
        "Dynamic/Reflection/SchemaFetch.swift": [
            ("iles: [String: ", "names are checked when they arrive")
        ],
        "Schema/Declarations/SchemaBuilder+References.swift": [
            ("scope.lastIndex", "a scope is identifiers"),
            ("name.lowercased()", "names are identifiers"),
        ],
        "Schema/Declarations/SchemaBuilder.swift": [
            ("fileIndices: [String: Int]", "names are checked before"),
            ("symbols: [String: ", "names are identifiers"),
            ("package.split", "the package was checked for identifiers"),
        ],
        "Schema/Declarations/SchemaFeatures.swift": [("case ", "the text has at most 8 bytes")],
        "Schema/Declarations/SchemaPool.swift": [
            ("[String: ", "names are identifiers, or checked when they are declared")
        ],
        "Schema/Declarations/WellKnownType.swift": [
            ("fullName.hasPrefix", "a full name is identifiers"),
            ("case ", "a full name is identifiers"),
        ],
        "Dynamic/JSON/JSONReader.swift": [("fullName == ", "a full name is identifiers")],
        "Dynamic/JSON/JSONReader+Values.swift": [("case ", "the text has at most 9 bytes")],
        "Dynamic/JSON/JSONReader+WellKnown.swift": [
            ("case _ where DeclaredName.isSame", "compares bytes")
        ],
        "Dynamic/JSON/SecondsText.swift": [
            ("== \"…\"", "the text is checked for ASCII"),
            ("prefix { $0 != ", "the text is checked for ASCII"),
            ("case \"…\"", "the text is checked for ASCII"),
        ],
        "Compiler/Source/Bundled/BundledProtos.swift": [("[String: ", "files of the library")],
        "Compiler/Source/FileLoader.swift": [
            ("[String: ", "names of files are checked"),
            ("Set<String>", "names of files are checked"),
        ],
        "Compiler/Source/Lexing/NumberLiteral.swift": [(".has", "a number is ASCII")],
        "Compiler/Source/Linking/LinkedFile.swift": [
            ("descriptor.syntax == ", "the syntax is checked"),
            ("[String: ", "names of files are checked"),
            ("Set<String>", "a package is identifiers"),
            ("name.lastIndex", "a package is identifiers"),
        ],
        "Compiler/Source/Linking/LinkedTypes.swift": [("identifierValue == ", "an identifier")],
        "Compiler/Source/Linking/SymbolTable.swift": [
            ("[String: ", "names are identifiers"), ("package[end...]", "a package is identifiers"),
            ("name.hasPrefix", "identifiers and dots"), ("name.prefix {", "identifiers and dots"),
            ("scope.lastIndex", "a scope is identifiers"),
        ],
        "Compiler/Source/Options/AggregateParser.swift": [
            ("fullName == ", "a full name is identifiers"), ("lowercased()", "an identifier"),
            ("case ", "an identifier"),
        ],
        "Compiler/Source/Options/OptionInterpreter.swift": [("namePart", "an identifier")],
        "Compiler/Source/Options/OptionScalar.swift": [
            ("name.lowercased()", "an identifier"), ("word == ", "an identifier"),
        ],
        "Compiler/Source/Options/OptionTarget.swift": [
            ("words", "a name of descriptor.proto"), ("text.hasPrefix", "words of the library"),
        ],
        "Compiler/Source/Parsing/FloatText.swift": [("let characters", "bytes of a number")],
        "Compiler/Source/Parsing/ProtoParser+Enum.swift": [
            ("case ", "identifiers, or a string, which begins with its quotation mark")
        ],
        "Compiler/Source/Parsing/ProtoParser+Field.swift": [
            ("case ", "identifiers, or a string, which begins with its quotation mark"),
            ("nameToken.text", "an identifier"), ("namePart == ", "an identifier"),
            ("scalar == ", "an identifier"), ("[String: Self]", "words of the language"),
        ],
        "Compiler/Source/Parsing/ProtoParser+FieldOptions.swift": [
            ("case ", "identifiers, or a string, which begins with its quotation mark")
        ],
        "Compiler/Source/Parsing/ProtoParser+File.swift": [
            ("case ", "identifiers, or a string, which begins with its quotation mark"),
            ("name == ", "the text is checked"), ("[String: Edition]", "words of the language"),
        ],
        "Compiler/Source/Parsing/ProtoParser+Message.swift": [
            ("case ", "identifiers, or a string, which begins with its quotation mark"),
            ("own.hasPrefix", "an identifier"), ("[String: Int32]", "identifiers"),
        ],
        "Compiler/Source/Parsing/ProtoParser+Options.swift": [("case ", "an identifier")],
        "Compiler/Source/Parsing/ProtoParser+Ranges.swift": [
            ("identifierValue == ", "an identifier")
        ],
        "Compiler/Source/Parsing/ProtoParser.swift": [
            ("file.syntax == ", "the syntax is checked"),
            ("token.text", "a number or an identifier"), ("text == ", "a sign of the language"),
        ],
        "Compiler/Source/ProtoCompiler.swift": [("descriptor.syntax == ", "the syntax is checked")],
        "Compiler/Source/ProtoDirectories.swift": [("root.hasSuffix", "a directory of the user")],
        "Compiler/Source/Validation/FileValidator+Declarations.swift": [
            ("Set<String>", "only checked names are inserted")
        ],
        "Compiler/Source/Validation/FileValidator+Enums.swift": [
            ("[String: ", "names are identifiers")
        ],
        "Compiler/Source/Validation/FileValidator+Fields.swift": [
            ("case ", "a full name is identifiers"), ("$0.key != ", "words of the language"),
        ],
        "Compiler/Source/Validation/FileValidator+JSONNames.swift": [
            ("[String: ", "only checked names are inserted")
        ],
        "Compiler/Source/Validation/FileValidator+Numbers.swift": [
            ("Set<String>", "the names were checked when they were read")
        ],
        "Compiler/Source/Validation/FileValidator.swift": [
            ("Set<String>", "names of files are checked")
        ],
        "Dynamic/Text/TextFormatReader.swift": [
            ("name.lowercased()", "a name is ASCII"), ("case ", "a name is ASCII"),
        ],
        "Dynamic/Text/TextNumber.swift": [
            ("text.has", "a number is ASCII"), ("number.last", "a number is ASCII"),
            ("whereSeparator", "a number is ASCII"), ("mantissa.has", "a number is ASCII"),
            ("name.lowercased()", "a name is ASCII"), ("case ", "a name is ASCII"),
        ],
        "XDS/Messages/CoreMessages.swift": [("Metadata: [String: ", "decoding checks the keys")],
        "XDS/Messages/RouteMessages.swift": [
            ("typedPerFilterConfig: [String: ", "decoding checks the keys")
        ],
        "XDS/Resources/FilterConfig.swift": [
            ("_ messages: [String: ", "decoding checks the keys")
        ],
        "XDS/Tree/ClusterBalancer.swift": [
            ("[String: PriorityPolicy.Child]", "the names are numbers that the tree gives")
        ],
        "XDS/Tree/LeafTree.swift": [
            ("[String: PriorityPolicy.Child]", "the names are numbers that the tree gives"),
            ("[String: WeightedTarget.Target]", "the names are numbers that the tree gives"),
        ],
        "CLI/Channelz/ChannelzReader.swift": [
            ("[String: Int64]", "fields of a request"), ("rawValue.prefix", "words of the library"),
        ],
        "CLI/Channelz/ChannelzText.swift": [("Set<String>", "words of the library and numbers")],
    ]

    /// Foundation's expressions, because Swift's are slow in debug builds.
    private static let literalOfByte = expression(#"UInt8\(ascii: "(\\.|[^"\\])*"\)"#)
    private static let literal = expression(#""(\\.|[^"\\])*""#)
    private static let comment = expression("//.*")
    private static let anyCostly = expression(costly.joined(separator: "|"))

    private static func expression(_ pattern: String) -> NSRegularExpression {
        guard let expression = try? NSRegularExpression(pattern: pattern) else {
            preconditionFailure("not an expression: \(pattern)")
        }
        return expression
    }

    private static func range(of text: String) -> NSRange {
        NSRange(location: 0, length: text.utf16.count)
    }

    /// The code of a line, with "…" for each literal of a string, and without literals of bytes.
    static func code(of line: Substring) -> String {
        var code = String(line)
        for (expression, template) in [
            (literalOfByte, "byte"), (literal, "\"…\""), (comment, ""),
        ] {
            code = expression.stringByReplacingMatches(
                in: code, range: range(of: code), withTemplate: template)
        }
        return code
    }

    static func isCostly(_ code: String) -> Bool {
        anyCostly.firstMatch(in: code, range: range(of: code)) != nil
    }

    private static func files() throws -> [String] {
        let all = try ImportTests.files().values.joined()
        return readers.flatMap { reader in
            let found = all.filter { $0 == reader || $0.hasPrefix(reader + "/") }
            #expect(!found.isEmpty, "there is no \(reader)")
            return found
        }
    }

    @Test("compares, hashes and walks bytes, or says why the text is harmless")
    func lines() throws {
        var unused = Set(Self.allowed.flatMap { file, rows in rows.map { "\(file): \($0.part)" } })
        for file in try Self.files() {
            let text = try String(
                contentsOf: ImportTests.sources.appending(path: file), encoding: .utf8)
            for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
                .enumerated()
            {
                let code = Self.code(of: line)
                guard Self.isCostly(code) else { continue }
                let rows = Self.allowed[file, default: []].filter { code.contains($0.part) }
                #expect(
                    !rows.isEmpty,
                    """
                    \(file):\(index + 1) compares, hashes or walks text: \(line). Use bytes or \
                    WireText, or say in the table why the text is checked
                    """)
                for row in rows { unused.remove("\(file): \(row.part)") }
            }
        }
        #expect(unused.isEmpty, "lines that are allowed and do not exist: \(unused.sorted())")
    }

    /// The lines of a file from the one that contains `start` to the first that is `end`, without indentation.
    private static func lines(of file: String, from start: String, to end: String) throws
        -> [Substring]
    {
        let text = try String(
            contentsOf: ImportTests.sources.appending(path: file), encoding: .utf8)
        let lines = text.split(separator: "\n").map { $0.drop { $0 == " " } }
        let first = try #require(lines.firstIndex { $0.contains(start) }, "\(start) in \(file)")
        let last = try #require(lines[first...].firstIndex { $0 == end }, "\(end) in \(file)")
        return Array(lines[first...last])
    }

    /// Transport and Messages import no module, so each has the rule.
    @Test("has the same rule for combining marks in both modules that need it")
    func copies() throws {
        let files = ["Transport/Bytes/WireText.swift", "Messages/Kinds/CombiningMarks.swift"]
        let rules = try files.map {
            try Self.lines(of: $0, from: "func isMark(_ scalar: Unicode.Scalar) -> Bool {", to: "}")
        }
        #expect(rules[0] == rules[1] && rules[0].count > 4)
        let transport = try String(
            contentsOf: ImportTests.sources.appending(path: files[0]), encoding: .utf8)
        let messages = try String(
            contentsOf: ImportTests.sources.appending(path: files[1]), encoding: .utf8)
        #expect(transport.contains("let maxMarkRun = 30\n"))
        #expect(messages.contains("var maxRun: Int { 30 }\n"))
    }

    @Test(
        "is recognised when it would be costly",
        arguments: [
            (#"if name == "gzip" {"#, true), (#"switch name { case "a": 1"#, true),
            (#"text.lowercased()"#, true), (#"var names: Set<String> = []"#, true),
            (#"text.split(separator: ",")"#, true), (#"text.contains("x")"#, true),
            (#"for character in text {"#, true), (#"text.map { character in"#, true),
            (#"if byte == UInt8(ascii: "a") {"#, false), (#"// if name == "gzip""#, false),
            (#"utf8.split(separator: UInt8(ascii: ","))"#, false),
            (#"name.equals("gzip")"#, false), (#"throw Failure("a == b")"#, false),
        ])
    func examples(line: String, isCostly: Bool) {
        let code = Self.code(of: line[...])
        #expect(Self.isCostly(code) == isCostly, "\(code)")
    }
}
