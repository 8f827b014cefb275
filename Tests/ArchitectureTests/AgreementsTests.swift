import Foundation
import Testing

/// The table of gRPC's proposals names a suite of tests for each one that the library follows.
@Suite("The table of agreements")
struct AgreementsTests {
    private static let page = "Swiftlet/Swiftlet.docc/Agreements.md"

    /// The cells of each row, without spaces at their ends.
    private static func rows() throws -> [[String]] {
        let text = try String(
            contentsOf: ImportTests.sources.appending(path: page), encoding: .utf8)
        let rows = text.split(separator: "\n").filter {
            $0.hasPrefix("| A") || $0.hasPrefix("| G")
        }
        return rows.map { line in
            line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
                .map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    /// The names of all types of the tests that end in `Tests`.
    private static func suites() throws -> Set<String> {
        let tests = ImportTests.sources.deletingLastPathComponent().appending(path: "Tests")
        var names: Set<String> = []
        for path in try FileManager.default.subpathsOfDirectory(atPath: tests.path)
        where path.hasSuffix("Tests.swift") {
            let text = try String(contentsOf: tests.appending(path: path), encoding: .utf8)
            for line in text.split(separator: "\n") where line.hasPrefix("struct ") {
                names.insert(String(line.dropFirst(7).prefix { $0.isLetter || $0.isNumber }))
            }
        }
        return names
    }

    @Test("names tests that exist for each yes, and none for a no")
    func tests() throws {
        let suites = try Self.suites()
        let rows = try Self.rows()
        #expect(rows.count > 30)
        for row in rows {
            try #require(row.count == 6, "\(row)")
            let named = row[5].split(separator: ",").map {
                $0.trimmingCharacters(in: CharacterSet(charactersIn: " `"))
            }
            #expect(row[4].hasPrefix("yes") == !named.isEmpty, "\(row)")
            for name in named { #expect(suites.contains(name), "no tests are called \(name)") }
        }
    }
}
