/// Reads files and all files that they import, each file once.
struct FileLoader {
    private(set) var files: [String: LinkedFile] = [:]
    /// The files that were read. Imported files precede the files that import them.
    private(set) var order: [LinkedFile] = []
    /// Errors for requested files that do not exist.
    private(set) var diagnostics: [ProtoDiagnostic] = []

    private let read: (String) -> [UInt8]?
    /// The files between the requested file and the current one. Not recursion, because a chain of
    /// imports can be long.
    private var path: [Step] = []
    private var open: Set<String> = []

    private struct Step {
        var file: LinkedFile
        var nextImport = 0
    }

    init(reading read: @escaping (String) -> [UInt8]?) { self.read = read }

    /// The mistakes in all files.
    var mistakes: [ProtoDiagnostic] { diagnostics + order.flatMap(\.diagnostics) }

    /// Reads a requested file.
    mutating func load(_ name: String) {
        guard files[name] == nil else { return }
        let problem = ProtoName.problem(inFileName: name)
        guard problem == nil, let file = parse(name) else {
            diagnostics.append(
                ProtoDiagnostic(
                    file: name, line: 0, column: 0, message: problem ?? "the file is not found"))
            return
        }
        enter(file)
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
        if open.contains(name) {
            step.file.fail("import cycle: \(cycle(to: name))", at: place)
        } else if files[name] == nil {
            if let problem = ProtoName.problem(inFileName: name) {
                step.file.fail(
                    "'\(ProtoName.shown(name))' cannot be imported: \(problem)", at: place)
            } else if let file = parse(name) {
                enter(file)
            } else {
                step.file.fail("the imported file '\(name)' is not found", at: place)
            }
        }
    }

    private mutating func enter(_ file: LinkedFile) {
        path.append(Step(file: file))
        open.insert(file.name)
    }

    private mutating func parse(_ name: String) -> LinkedFile? {
        guard let source = read(name) ?? BundledProtos.sources[name].map({ Array($0.utf8) }) else {
            return nil
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
