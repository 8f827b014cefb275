import Foundation
import Testing

@Suite("The sources")
struct ImportTests {
    /// What each module of the package may import of the others.
    static let allowed: [String: Set<String>] = [
        "Transport": ["CSwiftletSystem"],
        "Core": ["SwiftletTransport"],
        "Messages": [],
        "Dynamic": ["SwiftletMessages"],
        "Swiftlet": ["SwiftletCore", "SwiftletMessages"],
        "Loopback": ["SwiftletCore", "SwiftletTransport", "SwiftletMessages"],
        "CLI": ["Swiftlet", "SwiftletLoopback", "SwiftletDynamic", "SwiftletTransport"],
        "Benchmark": ["Swiftlet", "SwiftletLoopback", "SwiftletTransport", "Foundation"],
        "JSONRPC": ["SwiftletCore", "FoundationEssentials", "Foundation"],
        "Plugins": ["SwiftletDynamic", "SwiftletMessages", "PackagePlugin", "Foundation"],
    ]

    static let system: Set<String> = ["Glibc", "Musl", "Darwin", "Synchronization", "Network"]

    static let sources = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources")

    @Test("are all among those whose imports are looked at")
    func folders() throws {
        var folders: Set<String> = []
        for path in try FileManager.default.subpathsOfDirectory(atPath: Self.sources.path)
        where path.hasSuffix(".swift") {
            folders.insert(String(path.prefix { $0 != "/" }))
        }
        #expect(folders == Set(Self.allowed.keys))
    }

    @Test("of the two plug-ins share a file, of which each must have a copy")
    func plugins() throws {
        let copies = try ["Build", "Command"].map {
            try Data(contentsOf: Self.sources.appending(path: "Plugins/\($0)/ProtoTarget.swift"))
        }
        #expect(copies[0] == copies[1])
    }

    @Test(
        "import only downward, and no Foundation but for JSON, plug-ins and to measure",
        arguments: allowed.keys.sorted())
    func imports(folder: String) throws {
        let sources = Self.sources.appending(path: folder)
        let enumerator = try #require(
            FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        var fileCount = 0
        for case let file as URL in enumerator where file.pathExtension == "swift" {
            fileCount += 1
            let text = try String(contentsOf: file, encoding: .utf8)
            for line in text.split(separator: "\n") {
                let words = line.split(separator: " ")
                guard let position = words.firstIndex(of: "import"), position + 1 < words.count,
                    words[..<position].allSatisfy({ $0.first == "@" || Self.access.contains($0) })
                else { continue }
                let module = String(words[position + 1])
                // In quotes, it is the text of a .proto file.
                if module.hasPrefix("\"") { continue }
                #expect(
                    Self.allowed[folder]?.contains(module) == true || Self.system.contains(module),
                    "\(file.lastPathComponent) imports \(module)")
            }
        }
        #expect(fileCount > 0)
    }

    private static let access: Set<Substring> = ["public", "package", "internal", "private"]
}
