/// Reads files and all files that they import, each file once.
struct FileLoader {
    private(set) var files: [String: LinkedFile] = [:]
    /// The files that were read. Imported files precede the files that import them.
    private(set) var order: [LinkedFile] = []
    /// Errors for requested files that do not exist or cannot be read.
    private(set) var diagnostics: [ProtoDiagnostic] = []

    private let read: (String) throws -> [UInt8]?
    /// The files between the requested file and the current one. Not recursion, because a chain of
    /// imports can be long.
    private var path: [Step] = []
    private var open: Set<String> = []

    private struct Step {
        var file: LinkedFile
        var nextImport = 0
    }

    init(reading read: @escaping (String) throws -> [UInt8]?) { self.read = read }

    /// The mistakes in all files.
    var mistakes: [ProtoDiagnostic] { diagnostics + order.flatMap(\.diagnostics) }

    /// Reads a requested file.
    mutating func load(_ name: String) {
        guard files[name] == nil else { return }
        do throws(LoadProblem) {
            enter(try parse(name))
        } catch {
            diagnostics.append(
                ProtoDiagnostic(
                    file: name, line: 0, column: 0,
                    message: error.reason ?? "the file is not found"))
        }
        while let step = path.last { advance(step) }
    }

    private mutating func advance(_ step: Step) {
        let imports = step.file.importedNames
        guard step.nextImport < imports.count else {
            path.removeLast()
            open.remove(step.file.name)
            order.append(step.file)
            return
        }
        path[path.count - 1].nextImport += 1
        let (name, place) = imports[step.nextImport]
        if let problem = ProtoName.problem(inFileName: name) {
            // Before a look-up, whose cost such a name may make quadratic.
            step.file.fail("'\(ProtoName.shown(name))' cannot be imported: \(problem)", at: place)
        } else if open.contains(name) {
            step.file.fail("import cycle: \(cycle(to: name))", at: place)
        } else if files[name] == nil {
            do throws(LoadProblem) {
                enter(try parse(name))
            } catch {
                let message =
                    error.reason.map { "'\(ProtoName.shown(name))' cannot be imported: \($0)" }
                    ?? "the imported file '\(name)' is not found"
                step.file.fail(message, at: place)
            }
        }
    }

    private mutating func enter(_ file: LinkedFile) {
        path.append(Step(file: file))
        open.insert(file.name)
    }

    private mutating func parse(_ name: String) throws(LoadProblem) -> LinkedFile {
        if let problem = ProtoName.problem(inFileName: name) { throw LoadProblem(reason: problem) }
        let bytes: [UInt8]?
        do { bytes = try read(name) } catch { throw LoadProblem(reason: "\(error)") }
        guard let source = bytes ?? BundledProtos.sources[name].map({ Array($0.utf8) }) else {
            throw LoadProblem(reason: nil)
        }
        let file = LinkedFile(
            ProtoParser.parse(source, name: name), index: files.count, name: name)
        files[name] = file
        return file
    }

    /// The last names of a long cycle are enough to find it.
    private func cycle(to name: String) -> String {
        let names = path.map(\.file.name).drop { $0 != name }
        let shown = names.count > 8 ? ["…"] + names.suffix(8) : Array(names)
        return (shown + [name]).joined(separator: " → ")
    }
}

/// A file that is not compiled.
private struct LoadProblem: Error {
    /// Nil if there is no such file.
    var reason: String?
}
