import Foundation
import Swiftlet
import SwiftletDynamic

/// Compares generated messages with another implementation and with their schema.
///
///     Exchange names MODULE        prints the names of the messages of a module
///     Exchange check MODULE SET    checks them against a descriptor set
///     Exchange encode MODULE       decodes messages and encodes them again
///
/// Input and output of `encode` are a name and a message, or a message alone. A count of bytes in four bytes,
/// little-endian, precedes each of them. Unknown fields are dropped. Otherwise a field that the generated
/// source lacks would be encoded as if the source had it.
@main
enum Exchange {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        let types = TypeList(of: arguments.dropFirst().first ?? "")
        switch arguments.first {
        case "names": for name in types.names { print(name) }
        case "check": try check(types, setPath: arguments.last ?? "")
        default: try encode(types)
        }
    }

    private static func check(_ types: TypeList, setPath: String) throws {
        let bytes = try [UInt8](Data(contentsOf: URL(filePath: setPath)))
        let schema = try Schema(Google.Protobuf.FileDescriptorSet(decoding: bytes))
        for check in types.checks { try check(schema) }
    }

    private static func encode(_ types: TypeList) throws {
        var input = [UInt8](FileHandle.standardInput.readDataToEndOfFile())[...]
        var output = Data()
        while !input.isEmpty {
            let name = String(decoding: take(&input), as: UTF8.self)
            guard let encode = types.encoders[name] else { fatalError("no type '\(name)'") }
            let bytes = try encode(Array(take(&input)))
            withUnsafeBytes(of: UInt32(bytes.count).littleEndian) { output.append(contentsOf: $0) }
            output.append(contentsOf: bytes)
        }
        try FileHandle.standardOutput.write(contentsOf: output)
    }

    private static func take(_ input: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let count = input.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        defer { input = input.dropFirst(4 + count) }
        return input.dropFirst(4).prefix(count)
    }
}

/// The messages of a module.
struct TypeList {
    private(set) var names: [String] = []
    private(set) var checks: [(Schema) throws -> Void] = []
    /// The functions that decode a message and encode it again, by the name of the message.
    private(set) var encoders: [String: ([UInt8]) throws -> [UInt8]] = [:]

    init() {}

    mutating func add<M: Message>(_ type: M.Type) {
        let options = EncodingOptions(isDeterministic: true, keepsUnknownFields: false)
        names.append(M.messageName)
        checks.append { try check(type, against: $0) }
        encoders[M.messageName] = { try M(decoding: $0).encoded(options: options) }
    }
}
