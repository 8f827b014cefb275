import Foundation
import Testing

@Suite("The targets of the manifest")
struct ManifestTests {
    /// The targets that each target depends on directly, by its name.
    static func dependencies() throws -> [String: [String]] {
        let manifest = try String(
            contentsOf: ImportTests.sources.deletingLastPathComponent()
                .appending(path: "Package.swift"), encoding: .utf8)
        let targets = try Regex(
            """
            (?:t|T)arget\\(\\s*name: "([^"]+)"(?:,\\s*dependencies: \\[([^\\]]*)\\])?
            """)
        var dependencies: [String: [String]] = [:]
        for match in manifest.matches(of: targets) {
            let name = try #require(match.output[1].substring)
            let list = match.output[2].substring ?? ""
            dependencies[String(name)] = list.split(separator: ",").map {
                $0.trimmingCharacters(in: CharacterSet(charactersIn: "\" \n"))
            }.filter { !$0.isEmpty }
        }
        return dependencies
    }

    @Test("let Swiftlet depend only on Core, Messages, Transport and CSwiftletSystem")
    func client() throws {
        let dependencies = try Self.dependencies()
        var built: Set<String> = []
        var pending = ["Swiftlet"]
        while let name = pending.popLast() {
            guard built.insert(name).inserted, name != "CSwiftletSystem" else { continue }
            pending += try #require(dependencies[name], "no target is called \(name)")
        }
        #expect(
            built == [
                "Swiftlet", "SwiftletCore", "SwiftletMessages", "SwiftletTransport",
                "CSwiftletSystem",
            ])
    }
}
