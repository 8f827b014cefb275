// Measures messages with a schema at run time, beside Python's protobuf.
//
//     swiftlet-dynamic DESCRIPTORS TYPE MESSAGE COUNT
//
// Prints three times in nanoseconds: decoding the message in the file MESSAGE, decoding it and reading all of
// its fields, and encoding it. Each is the shortest of five rounds with COUNT repetitions.
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

/// The number of values in a message, including the values of messages inside it.
func valueCount(_ message: DynamicMessage) -> Int {
    message.presentFields.reduce(0) { $0 + valueCount($1.value) }
}

func valueCount(_ value: DynamicValue) -> Int {
    switch value {
    case .message(let message): valueCount(message)
    case .list(let values): values.reduce(0) { $0 + valueCount($1) }
    case .map(let values): values.values.reduce(0) { $0 + valueCount($1) }
    default: 1
    }
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
let reading = try nanoseconds(count) {
    sink += valueCount(try DynamicMessage(decoding: bytes, as: type))
}
let encoding = try nanoseconds(count) { sink += try message.encoded().count }
print(decoding, reading, encoding)
guard sink > 0 else { exit(1) }
