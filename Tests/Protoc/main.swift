// Compiles .proto files like protoc, to compare the two compilers.
//
//     swiftlet-protoc [-IDIRECTORY]… [--descriptor_set_out=FILE | --each] FILE…
//
// With --each, every file is compiled separately, and a line reports the outcome.
import Foundation
import SwiftletCompiler
import SwiftletMessages

var roots: [String] = []
var output: String?
var isEach = false
var names: [String] = []

var arguments = CommandLine.arguments.dropFirst()
while let argument = arguments.popFirst() {
    if argument.hasPrefix("-I") {
        roots.append(String(argument.dropFirst(2)))
    } else if argument == "--each" {
        isEach = true
    } else if argument.hasPrefix("--descriptor_set_out=") {
        output = String(argument.drop { $0 != "=" }.dropFirst())
    } else {
        names.append(argument)
    }
}

let compiler = ProtoCompiler(reading: ProtoDirectories(roots).read)
do {
    if isEach {
        for name in names {
            do {
                _ = try compiler.compile([name])
                print("\(name)\tok")
            } catch {
                let text = error.description.replacing("\n", with: " | ")
                print("\(name)\trefused\t\(text)")
            }
        }
    } else {
        let set = try compiler.compile(names)
        if let output { try Data(set.encoded()).write(to: URL(filePath: output)) }
    }
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
