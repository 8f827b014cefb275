// fuzz-modules: Messages Descriptors ServiceMessages JSONText Schema Compiler Dynamic
// fuzz-with: Tests/DynamicTests/Schema/TestSchema.swift

// A libFuzzer target for messages with a schema at run time. No input may trap. The bytes of an inner message
// are checked first and read later. The result must be the same as when they are read at once.
// `Tests/Fuzz/run` builds it.

@testable import SwiftletDynamic
@testable import SwiftletMessages
@testable import SwiftletSchema

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDynamic(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    for (schema, field) in DynamicFuzz.types { DynamicFuzz.run(bytes, schema, inside: field) }
    return 0
}

enum DynamicFuzz {
    /// The types, each with the number of a field that is a message of the same type.
    static let types: [(MessageSchema, field: UInt32)] = {
        guard let schema = try? TestSchema.all(), let all = schema.message("t.All"),
            let old = schema.message("o.Old")
        else { preconditionFailure("the schema of the tests is valid") }
        return [(all, 17), (old, 7)]
    }()

    private static let depth = 20

    static func run(_ bytes: [UInt8], _ schema: MessageSchema, inside field: UInt32) {
        var alone = DynamicMessage(schema)
        let isValid = merge(bytes, into: &alone, depth)
        // The fields that were read before an error are kept.
        let encoded = encode(alone)

        var outer = DynamicMessage(schema)
        let isValidInside = merge(
            varint(field &<< 3 | 2) + varint(UInt32(bytes.count)) + bytes, into: &outer, depth + 1)
        precondition(isValid == isValidInside, "checking and reading disagree")
        guard case .message(let inner)? = try? outer.get(number: field) else {
            preconditionFailure("the message inside is missing")
        }
        precondition(encode(inner) == encoded, "a message inside another one is a different one")

        guard isValid else { return }
        guard
            let again = try? DynamicMessage(
                decoding: encoded, as: schema, allowsPartial: true)
        else { preconditionFailure("what was written cannot be read") }
        precondition(encode(again) == encoded, "read as another message")
    }

    private static func merge(
        _ bytes: [UInt8], into message: inout DynamicMessage, _ depth: Int
    ) -> Bool {
        let options = DecodingOptions(maxDepth: depth)
        return (try? message.merge(ContiguousArray(bytes).span, options: options)) != nil
    }

    private static func encode(_ message: DynamicMessage) -> [UInt8] {
        guard let bytes = try? message.encoded(options: .deterministic, allowsPartial: true) else {
            preconditionFailure("a message without required fields cannot be written")
        }
        return bytes
    }

    private static func varint(_ value: UInt32) -> [UInt8] {
        value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7f | 0x80)] + varint(value &>> 7)
    }
}
