// Measures messages with a schema at run time, beside Python's protobuf.
//
//     swiftlet-dynamic DESCRIPTORS TYPE MESSAGE COUNT
//
// Prints the nanoseconds of decoding the message in the file MESSAGE, and of encoding it: the shortest of
// five rounds of COUNT each.
import Foundation
import SwiftletDynamic
import SwiftletMessages

func contents(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(filePath: path)))
}

func nanoseconds(_ count: Int, _ body: () throws -> Void) rethrows -> Double {
    var best = Double.infinity
    for _ in 0..<5 {
        let time = try ContinuousClock().measure { for _ in 0..<count { try body() } }
        best = min(best, time / .nanoseconds(1))
    }
    return best / Double(count)
}

let arguments = CommandLine.arguments
guard arguments.count == 5, let count = Int(arguments[4]), count > 0 else {
    FileHandle.standardError.write(
        Data("usage: swiftlet-dynamic DESCRIPTORS TYPE MESSAGE COUNT\n".utf8))
    exit(2)
}
let set = try Google.Protobuf.FileDescriptorSet(decoding: contents(arguments[1]))
let type = try Schema(set).requiredMessage(arguments[2])
let bytes = try contents(arguments[3])
let message = try DynamicMessage(decoding: bytes, as: type)
var sink = 0
let decoding = try nanoseconds(count) {
    sink += try DynamicMessage(decoding: bytes, as: type).isEmpty ? 1 : 0
}
let encoding = try nanoseconds(count) { sink += try message.encoded().count }
print(decoding, encoding)
guard sink > 0 else { exit(1) }
