import Foundation
import Testing

/// The page of a product lists its public types, under headings that say what they are for. A list that nothing
/// checks grows old.
@Suite("The page of each product")
struct CatalogueTests {
    /// The page, and the folders of the modules whose types it lists: that of the product, and those that it re-exports.
    static let pages: [(page: String, folders: [String])] = [
        ("Swiftlet/Swiftlet.docc/Swiftlet.md", ["Core", "Messages", "Swiftlet"]),
        ("Balancing/SwiftletBalancing.docc/SwiftletBalancing.md", ["Balancing"]),
        ("Interceptors/SwiftletInterceptors.docc/SwiftletInterceptors.md", ["Interceptors"]),
        ("Security/SwiftletSecurity.docc/SwiftletSecurity.md", ["Security"]),
        ("Observation/SwiftletObservation.docc/SwiftletObservation.md", ["Observation"]),
        ("Styles/SwiftletStyles.docc/SwiftletStyles.md", ["Styles"]),
        ("XDS/SwiftletXDS.docc/SwiftletXDS.md", ["XDS"]),
        ("JSONRPC/SwiftletJSONRPC.docc/SwiftletJSONRPC.md", ["JSONRPC"]),
        ("Loopback/SwiftletLoopback.docc/SwiftletLoopback.md", ["Loopback"]),
        (
            "Dynamic/SwiftletDynamic.docc/SwiftletDynamic.md",
            ["JSONText", "Schema", "Compiler", "Dynamic"]
        ),
        (
            "Messages/Services/SwiftletServices.docc/SwiftletServices.md",
            ["Messages/Services", "Messages/StandardServices"]
        ),
    ]

    private static let modifiers: Set<Substring> = ["final", "indirect", "nonisolated"]
    private static let kinds: Set<Substring> = [
        "struct", "class", "enum", "protocol", "actor", "typealias",
    ]

    /// The public type that a line at the top level declares.
    private static func publicType(_ line: Substring) -> String? {
        var words = line.split(separator: " ").drop { $0.hasPrefix("@") }
        guard line.first?.isWhitespace == false, words.popFirst() == "public" else { return nil }
        words = words.drop { modifiers.contains($0) }
        guard let kind = words.popFirst(), kinds.contains(kind) else { return nil }
        return words.first.map { String($0.prefix { $0.isLetter || $0.isNumber || $0 == "_" }) }
    }

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: ImportTests.sources.appending(path: path), encoding: .utf8)
    }

    /// The names of the list items.
    private static func items(_ page: String) -> [String] {
        guard let topics = page.range(of: "\n## Topics\n") else { return [] }
        return page[topics.upperBound...].split(separator: "\n").compactMap { line in
            guard line.hasPrefix("- ``"), line.hasSuffix("``") else { return nil }
            return String(line.dropFirst(4).dropLast(2))
        }
    }

    /// The names of the list items that are types. Functions and types inside another one are checked by `make docs` alone.
    private static func listed(_ page: String) -> [String] {
        items(page).filter { !$0.contains("/") && !$0.contains("(") }
    }

    /// The public types that the source declares in extensions of namespaces, as links to them.
    private static func typesInNamespaces(_ source: String) -> [String] {
        var namespace = ""
        return source.split(separator: "\n").compactMap { line in
            if line.hasPrefix("extension ") {
                let name = line.dropFirst(10).prefix { $0.isLetter || $0 == "." }
                namespace = "SwiftletMessages/\(name.replacing(".", with: "/"))"
            }
            guard line.hasPrefix("    "), let type = publicType(line.dropFirst(4)) else {
                return nil
            }
            return "\(namespace)/\(type)"
        }
    }

    @Test("lists every public type once, and no other", arguments: pages.map(\.page))
    func types(page: String) throws {
        let folders = try #require(Self.pages.first { $0.page == page }).folders
        let sources = try ImportTests.files()
        var declared: Set<String> = []
        for folder in folders {
            for path in try #require(sources[folder]) {
                declared.formUnion(
                    try Self.text(path).split(separator: "\n").compactMap(Self.publicType))
            }
        }
        #expect(!declared.isEmpty)
        let listed = Self.listed(try Self.text(page))
        let unlisted = declared.subtracting(listed).sorted()
        #expect(unlisted.isEmpty, "\(page) does not list \(unlisted.joined(separator: ", "))")
        let unknown = Set(listed).subtracting(declared).sorted()
        #expect(unknown.isEmpty, "no public type is called \(unknown.joined(separator: ", "))")
        #expect(listed.count == Set(listed).count, "\(page) lists a type twice")
    }

    @Test("of the well-known types lists every message that the module adds to namespaces")
    func wellKnownTypes() throws {
        let declared = try #require(try ImportTests.files()["Messages/WellKnown"])
            .flatMap { Self.typesInNamespaces(try Self.text($0)) }
        let page = try Self.text("Messages/WellKnown/SwiftletWellKnown.docc/SwiftletWellKnown.md")
        #expect(declared.count > 20)
        #expect(declared.sorted() == Self.items(page).sorted())
    }

    @Test("finds public types by their first line")
    func reader() {
        let lines = """
            public struct A: B {
            @frozen public indirect enum C<D> {
            package struct E {}
                public struct F {}
            public func struct() {}
            public final class G {
            """
        #expect(lines.split(separator: "\n").compactMap(Self.publicType) == ["A", "C", "G"])
    }
}
