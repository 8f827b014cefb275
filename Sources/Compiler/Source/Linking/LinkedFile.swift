import SwiftletMessages

/// A file while it is compiled: its descriptor, its imports, and the mistakes in it.
final class LinkedFile {
    typealias Descriptor = Google.Protobuf.FileDescriptorProto

    let index: Int
    let name: String
    let source: [UInt8]
    let aggregates: AggregateSources
    var descriptor: Descriptor
    var problems: ProtoProblems
    /// The files that the file imports, and the files that it imports with `import option`.
    private(set) var imports: [LinkedFile] = []
    private(set) var optionImports: [LinkedFile] = []
    private(set) var publicImports: [LinkedFile] = []
    private var hasBrokenImport = false
    /// The indexes of the files whose declarations this file refers to.
    private var usedFiles: Set<Int> = []
    /// The features of the file, which its declarations inherit.
    var features = Google.Protobuf.FeatureSet()

    init(_ parsed: ParsedFile, index: Int, name: String) {
        self.index = index
        self.name = name
        source = parsed.bytes
        aggregates = parsed.aggregates
        descriptor = parsed.file
        problems = parsed.problems
    }

    var package: String { descriptor.package ?? "" }
    var isProto3: Bool { descriptor.syntax == "proto3" }
    var isEditions: Bool { descriptor.syntax == "editions" }
    var edition: Google.Protobuf.Edition {
        descriptor.edition ?? (isProto3 ? .proto3 : .proto2)
    }
    var isEdition2024: Bool { edition.rawValue >= Google.Protobuf.Edition.edition2024.rawValue }

    /// The names of all imports, with their places.
    private(set) lazy var importedNames: [(name: String, path: ProtoPath)] =
        descriptor.dependency.enumerated().map {
            ($1, [PathNumber.File.dependency, Int32($0)])
        }
        + descriptor.optionDependency.enumerated().map {
            ($1, [PathNumber.File.optionDependency, Int32($0)])
        }

    /// Whether the file and its imports have no mistakes so far.
    var isComplete: Bool { problems.isEmpty && !hasBrokenImport }

    /// Finds the files that the imports name.
    func findImports(_ files: [String: LinkedFile]) {
        // A missing import, or an import that closes a cycle, was already reported.
        guard problems.isEmpty else { return }
        imports = descriptor.dependency.compactMap { files[$0] }
        optionImports = descriptor.optionDependency.compactMap { files[$0] }
        publicImports = descriptor.publicDependency.compactMap {
            files[descriptor.dependency[Int($0)]]
        }
        hasBrokenImport = !(imports + optionImports).allSatisfy(\.isComplete)
    }

    /// Removes the references to imports, so that a long chain of imports is freed file by file and not by
    /// recursion.
    func removeImports() {
        imports = []
        optionImports = []
        publicImports = []
    }

    // MARK: - Visible files

    /// The files whose names may be used: this file, its imports, and the files that the imports import
    /// publicly.
    private(set) lazy var visibleFiles: Set<Int> = Set(
        Self.closure(of: [self] + imports).map(\.index))

    /// The files whose options may be used.
    private(set) lazy var visibleOptionFiles: Set<Int> =
        optionImports.isEmpty
        ? visibleFiles
        : Set(Self.closure(of: [self] + imports + optionImports).map(\.index))

    /// The packages of the visible files, and the packages that contain them.
    private(set) lazy var visiblePackages: Set<String> = {
        var packages: Set<String> = []
        for file in Self.closure(of: [self] + imports + optionImports) {
            file.addPackages(to: &packages)
        }
        return packages
    }()

    private func addPackages(to packages: inout Set<String>) {
        var name = package[...]
        while !name.isEmpty, packages.insert(String(name)).inserted {
            guard let dot = name.lastIndex(of: ".") else { break }
            name = name[..<dot]
        }
    }

    /// The files, and the files that they import publicly.
    private static func closure(of roots: [LinkedFile]) -> [LinkedFile] {
        var indexes: Set<Int> = []
        var files: [LinkedFile] = []
        var pending = roots
        while let file = pending.popLast() {
            guard indexes.insert(file.index).inserted else { continue }
            files.append(file)
            pending += file.publicImports
        }
        return files
    }

    // MARK: - Warnings

    /// Records that a name in this file refers to a declaration in `other`.
    func use(_ other: LinkedFile) { usedFiles.insert(other.index) }

    /// Warnings about text that is legal but probably not intended. Complete only after the file was linked.
    var warnings: [ProtoDiagnostic] {
        var warnings: [ProtoDiagnostic] = []
        if descriptor.syntax == nil {
            warnings.append(
                warning("there is no 'syntax': the file is read as \"proto2\"", at: nil))
        }
        let imports = Dictionary(
            (imports + optionImports).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first }
        )
        let publicNames = Set(publicImports.map(\.name))
        for (name, path) in importedNames where !publicNames.contains(name) {
            guard let file = imports[name] else { continue }
            let isUsed = Self.closure(of: [file]).contains { usedFiles.contains($0.index) }
            if !isUsed {
                warnings.append(warning("the import '\(name)' is not used", at: positions[path]))
            }
        }
        return warnings
    }

    private func warning(_ message: String, at position: ProtoPosition?) -> ProtoDiagnostic {
        ProtoDiagnostic(
            .warning, file: name, line: position.map { Int($0.line) + 1 } ?? 0,
            column: position.map { Int($0.column) + 1 } ?? 0, message: message)
    }

    // MARK: - Positions

    private lazy var positions: [ProtoPath: ProtoPosition] = {
        var positions: [ProtoPath: ProtoPosition] = [:]
        for location in descriptor.sourceCodeInfo?.location ?? []
        where positions[location.path] == nil {
            positions[location.path] = location.start
        }
        return positions
    }()

    /// Reports a mistake at the place of `path`. If `path` has no place, uses the nearest enclosing path that has one.
    func fail(_ message: String, at path: ProtoPath) {
        var path = path
        while positions[path] == nil, !path.isEmpty { path.removeLast() }
        problems.add(message, at: positions[path])
    }

    func fail(_ message: String, at position: ProtoPosition) {
        problems.add(message, at: position)
    }

    var diagnostics: [ProtoDiagnostic] {
        problems.all.map {
            ProtoDiagnostic(
                file: name, line: $0.position.map { Int($0.line) + 1 } ?? 0,
                column: $0.position.map { Int($0.column) + 1 } ?? 0, message: $0.message)
        }
    }
}
