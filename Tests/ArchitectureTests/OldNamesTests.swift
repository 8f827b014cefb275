import Foundation
import Testing

/// The page for users of other clients has tables of names. Each row is shown in code, which the test of the
/// documentation compiles.
@Suite("The page for users of other clients")
struct OldNamesTests {
    private static let page = ImportTests.sources
        .appending(path: "Swiftlet/Swiftlet.docc/ComingFromAnotherClient.md")

    /// Rows of which no code in Swift can show a name: imports of modules, and options of the command line.
    private static let withoutCode = ["swiftlet generate", "--visibility"]

    private static func words(_ text: some StringProtocol) -> Set<String> {
        Set(
            String(text).components(
                separatedBy: CharacterSet.alphanumerics.union(.init(charactersIn: "_")).inverted))
    }

    /// The texts between backticks.
    private static func quoted(_ cell: some StringProtocol) -> [String] {
        cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 && !$0.element.isEmpty }.map { String($0.element) }
    }

    @Test("shows each name of its tables in code of the same section")
    func rows() throws {
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        var rowCount = 0
        for section in text.components(separatedBy: "\n## ").dropFirst() {
            let title = section.prefix { $0 != "\n" }
            let parts = section.components(separatedBy: "```")
            let code = Self.words(
                parts.enumerated().filter { $0.offset % 2 == 1 }.map(\.element).joined())
            for line in section.split(separator: "\n")
            where line.hasPrefix("| ") && !line.hasPrefix("| There") && !line.hasPrefix("| ---") {
                rowCount += 1
                guard let cell = line.dropLast(2).components(separatedBy: " | ").last else {
                    continue
                }
                for name in Self.quoted(cell)
                where !Self.withoutCode.contains(where: { name.hasPrefix($0) })
                    && !name.hasPrefix("--")
                {
                    let first = name.drop { !($0.isLetter || $0 == "_") }
                        .prefix { $0.isLetter || $0.isNumber || $0 == "_" }
                    guard first.count > 1 else { continue }
                    #expect(
                        code.contains(String(first)), "\(title): no code shows \(name) of: \(line)")
                }
            }
        }
        #expect(rowCount > 100)
    }
}
