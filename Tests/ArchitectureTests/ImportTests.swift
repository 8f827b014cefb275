import Foundation
import Testing

@Suite("The sources")
struct ImportTests {
    /// The modules of the package that each module may import, by the folder of the module. A folder inside
    /// another one does not belong to that module.
    static let allowed: [String: Set<String>] = [
        "Transport": ["CSwiftletSystem"],
        "Core": ["SwiftletTransport"],
        "HTTP1": ["SwiftletTransport"],
        "JSONText": [],
        "JSON": ["SwiftletCore", "SwiftletJSONText", "SwiftletTransport"],
        "Balancing": ["SwiftletCore", "SwiftletJSON", "SwiftletTransport", "CSwiftletSystem"],
        "Interceptors": ["SwiftletCore", "SwiftletTransport"],
        "Observation": ["SwiftletCore", "SwiftletInterceptors", "SwiftletTransport"],
        "Security": ["SwiftletCore", "SwiftletTransport"],
        "Styles": ["SwiftletCore", "SwiftletTransport"],
        "XDS": [
            "SwiftletBalancing", "SwiftletCore", "SwiftletJSON", "SwiftletMessages",
            "SwiftletTransport", "SwiftletWellKnown",
        ],
        "Messages": [],
        "Messages/Descriptors": ["SwiftletMessages"],
        "Messages/StandardServices": ["SwiftletMessages"],
        "Messages/WellKnown": ["SwiftletMessages"],
        "Messages/Services": [
            "Swiftlet", "SwiftletCore", "SwiftletMessages", "SwiftletDescriptors",
            "SwiftletServiceMessages", "SwiftletWellKnown",
        ],
        "Schema": ["SwiftletDescriptors", "SwiftletJSONText", "SwiftletMessages"],
        "Compiler": ["SwiftletMessages", "SwiftletSchema"],
        "Dynamic": [
            "SwiftletCompiler", "SwiftletMessages", "SwiftletSchema", "SwiftletServiceMessages",
        ],
        "Swiftlet": ["SwiftletCore", "SwiftletMessages"],
        "Loopback": [
            "SwiftletCore", "SwiftletTransport", "SwiftletMessages", "SwiftletDescriptors",
            "SwiftletServices", "SwiftletServiceMessages", "SwiftletHTTP1", "SwiftletJSON",
            "SwiftletSecurity", "SwiftletWellKnown",
        ],
        "CLI": [
            "Swiftlet", "SwiftletLoopback", "SwiftletDynamic", "SwiftletObservation",
            "SwiftletServices", "SwiftletTransport", "SwiftletXDS", "SwiftletJSON",
        ],
        "Benchmark": [
            "Swiftlet", "SwiftletBalancing", "SwiftletInterceptors", "SwiftletJSONRPC",
            "SwiftletObservation", "SwiftletLoopback", "SwiftletServices", "SwiftletStyles",
            "SwiftletTransport", "Foundation",
        ],
        "JSONRPC": [
            "SwiftletCore", "SwiftletHTTP1", "SwiftletJSON", "SwiftletStyles", "SwiftletTransport",
            "FoundationEssentials", "Foundation",
        ],
        "Foundation": [
            "SwiftletCore", "SwiftletInterceptors", "SwiftletMessages", "SwiftletTransport",
            "Foundation",
        ],
        "Plugins": ["SwiftletCompiler", "PackagePlugin", "Foundation"],
    ]

    static let system: Set<String> = ["Glibc", "Musl", "Darwin", "Synchronization", "Network"]

    static let sources = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources")

    /// The files of each module, by its folder.
    static func files() throws -> [String: [String]] {
        var files: [String: [String]] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: sources.path)
        where path.hasSuffix(".swift") {
            let folders = allowed.keys.filter { path.hasPrefix($0 + "/") }
            let folder = folders.max { $0.count < $1.count }
            files[folder ?? String(path.prefix { $0 != "/" }), default: []].append(path)
        }
        return files
    }

    /// So that it is enough to compile them for two of Apple's platforms.
    @Test("tell macOS from Apple's other platforms, and do not tell these apart")
    func platforms() throws {
        let others = ["iOS", "tvOS", "watchOS", "visionOS"].map { "os(\($0))" }
        for path in try Self.files().values.joined() {
            let text = try String(contentsOf: Self.sources.appending(path: path), encoding: .utf8)
            for other in others { #expect(!text.contains(other), "\(path) has \(other)") }
        }
    }

    @Test("are all in a folder whose imports are checked")
    func folders() throws {
        #expect(try Set(Self.files().keys) == Set(Self.allowed.keys))
    }

    @Test("of the two plug-ins contain equal copies of the shared file")
    func plugins() throws {
        let copies = try ["Build", "Command"].map {
            try Data(contentsOf: Self.sources.appending(path: "Plugins/\($0)/ProtoTarget.swift"))
        }
        #expect(copies[0] == copies[1])
    }

    @Test("declare the watched lock, with the same text, in every module that has locks")
    func watchedLocks() throws {
        // The transport makes the watched lock, and its tests try both.
        let exempt: Set<String> = ["Sources/Transport", "Tests/TransportTests"]
        var copies: [Data] = []
        for folder in ["Sources", "Tests"] {
            let root = Self.sources.deletingLastPathComponent().appending(path: folder)
            var modules: (withLocks: Set<String>, declaring: Set<String>) = ([], [])
            for path in try FileManager.default.subpathsOfDirectory(atPath: root.path) {
                let parts = path.split(separator: "/")
                guard path.hasSuffix(".swift"), let first = parts.first,
                    folder == "Sources" || first.hasSuffix("Tests")
                else { continue }
                let data = try Data(contentsOf: root.appending(path: path))
                if path.hasSuffix("/WatchedLocks.swift") {
                    copies.append(data)
                    modules.declaring.insert("\(folder)/\(first)")
                } else if String(decoding: data, as: UTF8.self).contains("Mutex" + "(") {
                    modules.withLocks.insert("\(folder)/\(first)")
                }
            }
            #expect(modules.withLocks.subtracting(modules.declaring).subtracting(exempt) == [])
        }
        #expect(copies.count > 1)
        #expect(Set(copies).count == 1)
    }

    @Test("of the transport do not mention gRPC outside comments")
    func transportKnowsNoGRPC() throws {
        for path in try #require(Self.files()["Transport"]) {
            let text = try String(
                contentsOf: Self.sources.appending(path: path), encoding: .utf8)
            for line in text.split(separator: "\n") {
                let code = line.prefix(upTo: line.firstRange(of: "//")?.lowerBound ?? line.endIndex)
                #expect(!code.lowercased().contains("grpc"), "\(path): \(line)")
            }
        }
    }

    @Test(
        "import only lower modules, and Foundation only for its leaf, JSON, plug-ins and benchmarks",
        arguments: allowed.keys.sorted())
    func imports(folder: String) throws {
        for path in try #require(Self.files()[folder]) {
            let text = try String(
                contentsOf: Self.sources.appending(path: path), encoding: .utf8)
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
                    "\(path) imports \(module)")
            }
        }
    }

    private static let access: Set<Substring> = ["public", "package", "internal", "private"]
}
