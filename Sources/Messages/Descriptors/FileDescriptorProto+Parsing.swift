extension Google.Protobuf.FileDescriptorProto {
    /// Describes a file by its own text, so that a server can answer reflection without `protoc`.
    ///
    /// - Parameters:
    ///   - source: The text of the file.
    ///   - name: What others import it by.
    ///   - imports: The files that it imports, in any order, and those that these import publicly.
    public init(
        parsing source: String, name: String, imports: [Self] = []
    ) throws(ProtoSyntaxError) {
        self = try ProtoParser(source).file
        self.name = name
        var names = TypeNames(imports + [self])
        if let missing = names.resolve(&self) {
            throw ProtoSyntaxError(line: 0, problem: "nothing is called '\(missing)'")
        }
    }

    /// A file that is part of the program, and right.
    init(literal source: String, name: String, imports: [Self] = []) {
        do throws(ProtoSyntaxError) {
            try self.init(parsing: source, name: name, imports: imports)
        } catch {
            preconditionFailure("\(name), \(error)")
        }
    }
}
