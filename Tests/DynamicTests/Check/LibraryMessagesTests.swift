import Foundation
import SwiftletDynamic
import SwiftletMessages
import SwiftletServices
import Testing

@Suite("The library's own messages")
struct LibraryMessagesTests {
    typealias File = Google.Protobuf.FileDescriptorProto

    /// The schema of all files in the table: the descriptors that a server for tests serves, the files
    /// that the compiler knows, and `DiagnosticSources`.
    private static let schema = Result {
        let served = Set(File.bundled.compactMap(\.name))
        let compiler = ProtoCompiler { DiagnosticSources.files[$0].map { Array($0.utf8) } }
        let others = LibraryFile.all.map(\.name).filter { !served.contains($0) }
        return try Schema(File.bundled + compiler.compile(others).file)
    }

    @Test("are as their .proto files declare them", arguments: LibraryMessage.all)
    func declaration(_ message: LibraryMessage) throws {
        let declared = try Self.schema.get().requiredMessage(message.fullName)
        var findings: [String] = []
        do { try check(message.type, against: declared) } catch { findings = error.findings }
        #expect(findings == message.findings)
    }

    @Test(
        "are complete: their .proto files declare no others", arguments: LibraryFile.all.map(\.name)
    )
    func files(_ name: String) throws {
        let file = try #require(LibraryFile.all.first { $0.name == name })
        let declared = try Self.schema.get().messages.filter {
            $0.file.name == name && !$0.isMapEntry
        }
        let listed = Set(file.types.keys).union(file.absent).map { "\(file.package).\($0)" }
        #expect(Set(declared.map(\.fullName)) == Set(listed))
        #expect(file.absent.isDisjoint(with: file.types.keys))
        #expect(Set(file.findings.keys).isSubset(of: file.types.keys))
    }

    @Test("are all checked")
    func sources() throws {
        let root = ProtoTable.root.appending(path: "Sources/Messages")
        var names: [String] = []
        for path in try FileManager.default.subpathsOfDirectory(atPath: root.path)
        where path.hasSuffix(".swift") {
            let source = try String(contentsOf: root.appending(path: path), encoding: .utf8)
            names += source.matches(of: /var messageName: String \{\s*"([A-Za-z0-9_.]+)"/).map {
                String($0.output.1)
            }
        }
        #expect(names.sorted() == LibraryMessage.all.map(\.fullName).sorted())
    }

    @Test("include those of every service that a server for tests describes")
    func served() {
        let listed = Set(LibraryFile.all.map(\.name))
        let missing = File.bundled.compactMap(\.name).filter { !listed.contains($0) }
        // The messages of the older version are those of the newer version.
        #expect(missing == [File.reflectionAlpha.name])
        var older = File.reflectionAlpha.messageType
        for message in older.indices {
            for field in older[message].field.indices {
                let type = older[message].field[field].typeName
                older[message].field[field].typeName = type?.replacing(".v1alpha.", with: ".v1.")
            }
        }
        #expect(older == File.reflection.messageType)
    }
}
