import Foundation
import Testing

@Suite("The folders of Transport")
struct TransportFolderTests {
    /// The folders whose types each folder may use. The module's own folder is "".
    static let allowed: [String: Set<String>] = [
        "": [],
        "Bytes": [""],
        "Queues": [],
        "Threads": [],
        "Time": [],
        "HTTP2": [],
        "HTTP2/Errors": ["HTTP2"],
        "HTTP2/Frames": ["", "Bytes", "HTTP2", "HTTP2/Errors"],
        "HTTP2/Fields": ["", "Bytes"],
        "HTTP2/HPACK": ["", "Bytes", "HTTP2/Fields"],
        "HTTP2/FlowControl": ["Time"],
        "HTTP2/Streams": [
            "", "Bytes", "Queues", "HTTP2", "HTTP2/Errors", "HTTP2/Fields", "HTTP2/FlowControl",
        ],
        "HTTP2/Connection": [
            "", "Bytes", "Queues", "Time", "HTTP2", "HTTP2/Errors", "HTTP2/Frames", "HTTP2/Fields",
            "HTTP2/HPACK", "HTTP2/FlowControl", "HTTP2/Streams",
        ],
        "TLS": ["", "Bytes", "Threads"],
        // DATA is read from a socket directly to its place in a message.
        "Net": ["", "Bytes", "Queues", "Threads", "Time", "HTTP2/Frames"],
    ]

    /// The sources of each folder of a module, by file.
    static func sources(of module: String = "Transport") throws -> [String: [String: TypeUses]] {
        let root = ImportTests.sources.appending(path: module)
        var folders: [String: [String: TypeUses]] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: root.path)
        where path.hasSuffix(".swift") {
            let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
            let folder = path.split(separator: "/").dropLast().joined(separator: "/")
            folders[folder, default: [:]][path] = TypeUses(source: text)
        }
        return folders
    }

    @Test("use only types of the folders that they may use")
    func direction() throws {
        let sources = try Self.sources()
        var homes: [String: String] = [:]
        for (folder, files) in sources {
            for name in files.values.flatMap(\.declared) { homes[name] = folder }
        }
        #expect(homes["Connection"] == "HTTP2/Connection" && homes["FrameHeader"] == "HTTP2/Frames")
        for (folder, files) in sources {
            let allowed = try #require(Self.allowed[folder], "\(folder) has no place in the order")
            let own = files.values.reduce(into: Set<String>()) { $0.formUnion($1.ownNames) }
            for (path, file) in files {
                let foreign = file.used.subtracting(own).filter { name in
                    homes[name].map { $0 != folder && !allowed.contains($0) } ?? false
                }
                let list = foreign.sorted().map { "\($0) of \(homes[$0] ?? "")" }
                #expect(foreign.isEmpty, "\(path) uses \(list.joined(separator: ", "))")
            }
        }
    }

    @Test("have an order: no folder uses, directly or indirectly, a folder that uses it")
    func order() {
        var known: Set<String> = []
        var rest = Set(Self.allowed.keys)
        while let next = rest.first(where: { known.isSuperset(of: Self.allowed[$0] ?? []) }) {
            known.insert(next)
            rest.remove(next)
        }
        #expect(rest.isEmpty, "these folders use each other: \(rest.sorted())")
    }

    @Test("are searched without comments and string text, but with interpolations")
    func reader() {
        let uses = TypeUses(
            source: """
                /// About Commented.
                package struct Outer: Base {
                    enum Inner { case one(Payload) }
                    let text = "Quoted \\(Interpolated.name(of: 1)) and \\"Escaped"  // Trailing
                    func take(_ value: Other.Member) {}
                }
                private struct Hidden {}
                extension Extended { typealias Alias = Int }
                """)
        #expect(uses.declared == ["Outer"])
        #expect(uses.ownNames == ["Outer", "Inner", "Hidden", "Alias"])
        #expect(
            uses.used == ["Base", "Payload", "Interpolated", "Other", "Extended", "Int"],
            "\(uses.used.sorted())")
    }
}
