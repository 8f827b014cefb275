import Swiftlet
import SwiftletDynamic

/// Writes the descriptor set of `--protoset-out`.
enum ProtosetOutput {
    static let option = CommandOption.value(
        "protoset-out", named: "FILE",
        help: "writes the files of what is shown or called, with their imports, as a descriptor "
            + "set")

    /// Whether the command line asks for a descriptor set.
    static func isWanted(_ arguments: Arguments) -> Bool { arguments["--protoset-out"] != nil }

    /// Writes files and their imports, each before the files that import it. Does nothing without the option.
    static func write(_ files: [FileSchema], _ arguments: Arguments) throws {
        guard let path = arguments["--protoset-out"] else { return }
        var set = Google.Protobuf.FileDescriptorSet()
        var known: Set<FileSchema> = []
        var stack = files.reversed().map { (file: $0, importsAreWritten: false) }
        while let (file, importsAreWritten) = stack.popLast() {
            if importsAreWritten {
                set.file.append(file.descriptor)
            } else if known.insert(file).inserted {
                stack.append((file, true))
                stack += file.dependencies.reversed().map { ($0, false) }
            }
        }
        let output = try OutputFile(path)
        try output.removeContent()
        try output.write(set.encoded())
    }
}
