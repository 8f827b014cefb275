public import SwiftletMessages

/// Compares a Swift message with its declaration in a `.proto` file.
///
/// ```swift
/// @Test func schema() throws { try check(HelloRequest.self, against: "helloworld.proto", in: ["Protos"]) }
/// ```
///
/// Throws a ``SchemaMismatch`` with all differences, and a ``ProtoCompilationError`` when the file is not
/// found or has a mistake.
///
/// - Parameters:
///   - type: The message.
///   - file: The name of the file, as another file would import it.
///   - directories: The directories in which the file and its imports are looked up, as by `protoc -I`.
///     Default: the current directory, which is the package's directory in `swift test`.
public func check<M: Message>(
    _ type: M.Type, against file: String, in directories: [String] = ["."]
) throws {
    var compiler = ProtoCompiler(reading: ProtoDirectories(directories).read)
    compiler.includesSourceInfo = false
    try check(type, against: Schema(compiler.compile([file])))
}
