import Foundation
import Testing

/// Swift compares and hashes strings by their normal form, in quadratic time for many combining marks. So code that
/// sees text of a peer works on bytes, or on text that has passed the check of `WireText`.
@Suite("Code that sees text of a peer")
struct WireTextTests {
    /// Files and folders of the sources that read text from a peer.
    static let readers = [
        "Transport/HTTP1", "Transport/HTTP2/Fields", "Transport/Net/DNS/DNSAnswer.swift",
        "Core/Wire", "Core/Retry/RetryPushback.swift", "Core/Balancing/LoadReport+Decoding.swift",
        "Core/Connecting/ProxyHandshake.swift", "Core/Subchannel/HealthResult.swift",
        "Core/ServiceConfig/JSONReader.swift", "Core/Metrics/MetricTotals+Prometheus.swift",
        "JSONRPC/JSONBody.swift", "JSONRPC/JSONKeys.swift", "JSONRPC/JSONRPC.swift",
        "JSONRPC/JSONRPCBatch.swift", "JSONRPC/JSONTree.swift", "Loopback/Server/RequestInfo.swift",
        "Loopback/Server/RequestRules.swift", "Loopback/Services/ReflectionService.swift",
        "Loopback/Services/HealthService.swift", "Dynamic/Reflection", "Dynamic/Schema",
        "Dynamic/JSON/JSONReader.swift", "Dynamic/JSON/JSONReader+Values.swift",
        "Dynamic/JSON/JSONReader+WellKnown.swift", "Dynamic/JSON/FieldMaskText.swift",
        "Dynamic/JSON/SecondsText.swift", "Dynamic/Message/AnyContent.swift",
        "CLI/Console/JSONColour.swift", "CLI/Bench/SVGChart.swift", "Messages/Kinds",
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
        "Transport/HTTP1/HTTP1+FieldLine.swift": [
            (#"case "…""#, "the name of a field is a token of ASCII")
        ],
        "Transport/HTTP1/HTTP1+StartLine.swift": [
            (#"target == "…", method == "…""#, "both are checked for ASCII"),
            ("asciiLowercased.hasPrefix", "the target is checked for ASCII"),
        ],
        "Transport/HTTP1/HTTP1.swift": [(#"method == "…""#, "the method is a token of ASCII")],
        "Core/Wire/PlainExchange.swift": [("name.hasPrefix", "names of headers are ASCII")],
        "Core/Wire/ProtobufReader.swift": [
            ("into map: inout [String: Double]", "only checked names are inserted")
        ],
        "Core/Wire/ResponseHead.swift": [
            ("name.hasSuffix", "names of headers are ASCII"),
            (#"case "…", "…", "…""#, "names of headers are ASCII"),
        ],
        "Core/ServiceConfig/JSONReader.swift": [
            ("var members: [String: ConfigValue]", "only checked keys are inserted")
        ],
        "Core/Metrics/MetricTotals+Prometheus.swift": [
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
        "Dynamic/Schema/SchemaBuilder+References.swift": [
            ("scope.lastIndex", "a scope is identifiers"),
            ("name.lowercased()", "names are identifiers"),
        ],
        "Dynamic/Schema/SchemaBuilder.swift": [
            ("fileIndices: [String: Int]", "names are checked before"),
            ("symbols: [String: ", "names are identifiers"),
            ("package.split", "the package was checked for identifiers"),
        ],
        "Dynamic/Schema/SchemaFeatures.swift": [("case ", "the text has at most 8 bytes")],
        "Dynamic/Schema/SchemaPool.swift": [
            ("[String: ", "names are identifiers, or checked when they are declared")
        ],
        "Dynamic/Schema/WellKnownType.swift": [
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
