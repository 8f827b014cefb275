// fuzz-modules: Messages WellKnown

// A libFuzzer target for messages. No input may trap, and a decoded message must be the same after it is
// encoded and decoded again. `Tests/Fuzz/run` builds it.

import SwiftletWellKnown

@testable import SwiftletMessages

/// A message with one field for each code path of the decoder.
struct FuzzMessage: Message {
    enum Choice: Equatable {
        case text(String)
        case child(Google.Protobuf.Value)
    }

    var number: Int32 = 0
    var zigZag: Int64?
    var double: Double = 0
    var float: Float?
    var text = ""
    var bytes: [UInt8]?
    var numbers: [Int32] = []
    var wide: [UInt64] = []
    var texts: [String] = []
    @Indirect var inner: FuzzMessage?
    var all: [FuzzMessage] = []
    var names: [String: FuzzMessage] = [:]
    var flags: [Bool: Int64] = [:]
    var choice: Choice?
    var group: Google.Protobuf.StringValue?
    var json: Google.Protobuf.Struct?
    var unknownFields = UnknownFields()

    static let layout = Layout<Self> { field in
        field.int32(1, \.number)
        field.sint64(2, \.zigZag)
        field.double(3, \.double)
        field.float(4, \.float)
        field.string(5, \.text)
        field.bytes(6, \.bytes)
        field.int32(7, \.numbers)
        field.fixed64(8, \.wide, packed: false)
        field.string(9, \.texts)
        field.message(10, \._inner)
        field.message(11, \.all)
        field.map(12, \.names, .string, .message(FuzzMessage.self))
        field.map(13, \.flags, .bool, .sfixed64)
        field.oneof(14, \.choice, .string, Choice.text) {
            if case .text(let it) = $0 { it } else { nil }
        }
        field.oneof(15, \.choice, .message(Google.Protobuf.Value.self), Choice.child) {
            if case .child(let it) = $0 { it } else { nil }
        }
        field.group(16, \.group)
        field.message(2000, \.json)
    }
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMessages(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    guard let message = try? FuzzMessage(decoding: bytes) else { return 0 }
    let once = message.encoded(options: .deterministic)
    guard let again = try? FuzzMessage(decoding: once) else {
        preconditionFailure("what was written cannot be read")
    }
    // Bytes are compared, not messages: a NaN is not equal to itself.
    precondition(again.encoded(options: .deterministic) == once, "read as another message")
    precondition(message.encoded().count == once.count, "the order of a map changes the size")
    _ = message.debugDescription
    return 0
}
