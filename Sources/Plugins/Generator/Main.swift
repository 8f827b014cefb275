import SwiftletCompiler

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Writes Swift source for the `.proto` files of a target. The plug-ins run it.
///
/// Errors are printed in the format of a compiler, `path:line:column: error: …`, so that an editor
/// can show them at their line in the file.
@main
enum Main {
    static func main() {
        do {
            try run(ToolArguments(CommandLine.arguments.dropFirst()))
        } catch {
            report("\(error)\n")
            exit(1)
        }
    }

    private static func run(_ arguments: ToolArguments) throws(Failure) {
        var options = try options(arguments)
        options.fileExtension = "proto.swift"
        options.writesEmptyFiles = arguments.writesEmptyFiles
        let directories = ProtoDirectories(arguments.directories)
        do {
            let schema = try Schema(
                ProtoCompiler(reading: directories.read).compile(arguments.files))
            let sources = try SwiftGenerator(options).generate(schema, files: arguments.files)
            try GeneratedFile.write(sources, below: arguments.output)
        } catch let error as ProtoCompilationError {
            throw Failure(error, in: directories)
        } catch let error as SchemaError {
            let path = directories.path(of: error.file) ?? error.file
            throw Failure(description: "\(path): error: \(error.declaration): \(error.message)")
        } catch let failure as Failure {
            throw failure
        } catch {
            throw Failure(description: "error: \(error)")
        }
    }

    /// The options of a file with settings, or the defaults. Errors name the file.
    private static func options(
        _ arguments: ToolArguments
    ) throws(Failure) -> GeneratorOptions {
        guard let path = arguments.settings else { return Settings.defaultOptions }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let directory = parts.dropLast().joined(separator: "/")
        do {
            guard let name = parts.last,
                let json = try ProtoDirectories([directory]).read(String(name))
            else { throw Failure(description: "\(path): error: the file is not found") }
            let settings = try Settings(json: json)
            try settings.expect(arguments.planned)
            return try settings.options()
        } catch let error as FormatError {
            throw Failure(
                description: "\(path):\(error.line):\(error.column): error: \(error.message)")
        } catch let error as ProtoFileError {
            throw Failure(description: "\(path): error: \(error)")
        } catch {
            throw Failure(description: "\(path): \(error)")
        }
    }

    /// Writes to standard error. If a text cannot be written, it is lost.
    private static func report(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            // Safe: the pointer and the count are those of the slice, and are used only in the
            // closure.
            let count = unsafe bytes.withUnsafeBytes {
                unsafe write(STDERR_FILENO, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }
}

/// The errors as text, a line for each mistake.
struct Failure: Error, CustomStringConvertible {
    let description: String
}

extension Failure {
    /// The mistakes of `.proto` files, with the paths of the files.
    init(_ error: ProtoCompilationError, in directories: ProtoDirectories) {
        let lines = error.diagnostics.map { diagnostic in
            let path = directories.path(of: diagnostic.file) ?? diagnostic.file
            let place =
                diagnostic.line == 0 ? path : "\(path):\(diagnostic.line):\(diagnostic.column)"
            return "\(place): \(diagnostic.severity): \(diagnostic.message)"
        }
        description = lines.joined(separator: "\n")
    }
}
