// fuzz-modules: Messages Descriptors JSONText Schema Compiler

// A libFuzzer target for `.proto` source. No input may trap, and source without a mistake must have a schema, for which
// the generator writes source or says what it cannot write. `Tests/Fuzz/run` builds it.

@testable import SwiftletCompiler
@testable import SwiftletMessages

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzProto(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let source = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    var compiler = ProtoCompiler { $0 == "main.proto" ? source : nil }
    compiler.includesSourceInfo = true
    let mistakes = compiler.check(["main.proto"]).filter { $0.severity == .error }
    guard let set = try? compiler.compile(["main.proto"]) else {
        precondition(!mistakes.isEmpty, "source without a mistake is refused")
        return 0
    }
    precondition(mistakes.isEmpty, "source with a mistake is accepted")
    let schema: Schema
    do { schema = try Schema(set) } catch {
        preconditionFailure("the compiler made it, but \(error)")
    }
    guard let files = try? SwiftGenerator().generate(schema, files: ["main.proto"]) else {
        return 0
    }
    for file in files { precondition(!file.source.isEmpty) }
    return 0
}
