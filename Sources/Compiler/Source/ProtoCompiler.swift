public import SwiftletMessages

/// Compiles `.proto` files to descriptors.
///
/// ```swift
/// let compiler = ProtoCompiler(reading: ProtoDirectories(["Protos"]).read)
/// let files = try compiler.compile(["routeguide.proto"])
/// ```
///
/// Supports proto2, proto3 and the editions 2023 and 2024. The result equals that of `protoc` with
/// `--include_imports --include_source_info --retain_options`. The compiler itself reads no files.
public struct ProtoCompiler: Sendable {
    /// Whether descriptors contain the places of declarations in the source, and the comments. Default: true.
    public var includesSourceInfo = true

    private let read: @Sendable (String) throws -> [UInt8]?

    /// Makes a compiler.
    ///
    /// - Parameter read: Returns the bytes of the file with a name such as `google/api/http.proto`; nil if
    ///   there is none. Throws if the file cannot be read; the error is a mistake of the file. The files of
    ///   `google/protobuf`, `google/rpc` and the most used ones of `google/api` are known without it. Default: no
    ///   other files.
    public init(reading read: @escaping @Sendable (String) throws -> [UInt8]? = { _ in nil }) {
        self.read = read
    }

    /// Compiles files and all files that they import. Imported files precede the files that import them.
    ///
    /// Throws all mistakes in all files. A file whose imports have mistakes is read, but its names
    /// are not looked up.
    public func compile(
        _ names: [String]
    ) throws(ProtoCompilationError) -> Google.Protobuf.FileDescriptorSet {
        let loader = link(names)
        defer { for file in loader.order { file.removeImports() } }
        let diagnostics = loader.mistakes
        guard diagnostics.isEmpty else { throw ProtoCompilationError(diagnostics) }
        return .with { set in
            set.file = loader.order.map { file in
                var descriptor = file.descriptor
                if descriptor.syntax == "proto2" { descriptor.syntax = nil }
                if !includesSourceInfo { descriptor.sourceCodeInfo = nil }
                return descriptor
            }
        }
    }

    /// All mistakes in the files and in all files that they import, and the warnings about the files
    /// themselves: an unused import, and a missing `syntax`. Empty for files without mistakes and warnings.
    ///
    /// A file with a mistake has no warnings, because its names may not have been looked up.
    public func check(_ names: [String]) -> [ProtoDiagnostic] {
        let loader = link(names)
        defer { for file in loader.order { file.removeImports() } }
        let asked = Set(names)
        return loader.mistakes
            + loader.order.filter { asked.contains($0.name) && $0.isComplete }.flatMap(\.warnings)
    }

    /// Reads the files and all files that they import, and looks up their names.
    private func link(_ names: [String]) -> FileLoader {
        var loader = FileLoader(reading: read)
        for name in names { loader.load(name) }
        let symbols = SymbolTable()
        let standard = StandardOptions()
        let requested = Set(names)
        for file in loader.order {
            file.findImports(loader.files)
            guard file.isComplete else { continue }
            FileLinker.link(
                file, symbols, standard: standard, isImported: !requested.contains(file.name))
        }
        return loader
    }

    /// Compiles one file that is a string, for example in a test.
    ///
    /// - Parameters:
    ///   - source: The text of the file. It may import files that the compiler knows or reads.
    ///   - name: The name of the file in errors and imports. Default: `main.proto`.
    public func compile(
        source: String, name: String = "main.proto"
    ) throws(ProtoCompilationError) -> Google.Protobuf.FileDescriptorSet {
        let read = read
        var compiler = ProtoCompiler { $0 == name ? Array(source.utf8) : try read($0) }
        compiler.includesSourceInfo = includesSourceInfo
        return try compiler.compile([name])
    }
}

/// The messages of descriptor.proto, for files that have options and do not import it.
final class StandardOptions {
    private(set) lazy var symbols: SymbolTable = {
        let name = "google/protobuf/descriptor.proto"
        let symbols = SymbolTable()
        let source = Array((BundledProtos.sources[name] ?? "").utf8)
        let file = LinkedFile(ProtoParser.parse(source, name: name), index: 0, name: name)
        FileLinker.link(file, symbols, standard: nil, isImported: true)
        return symbols
    }()
}
