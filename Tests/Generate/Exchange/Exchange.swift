import Foundation
import Generated
import Swiftlet

/// Decodes messages and encodes them again, for the comparison with another implementation.
///
/// Input and output are a name and a message, or a message alone, each after its byte count in four bytes,
/// little-endian. Unknown fields are dropped: otherwise a field that the generated source lacks would be
/// encoded as if the source had it.
@main
enum Exchange {
    private typealias Function = ([UInt8]) throws -> [UInt8]

    static func main() throws {
        let options = EncodingOptions(isDeterministic: true, keepsUnknownFields: false)
        let functions = functions(options)
        var input = [UInt8](FileHandle.standardInput.readDataToEndOfFile())[...]
        var output = Data()
        while !input.isEmpty {
            let name = String(decoding: take(&input), as: UTF8.self)
            guard let function = functions[name] else { fatalError("no type '\(name)'") }
            let bytes = try function(Array(take(&input)))
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

    private static func functions(_ options: EncodingOptions) -> [String: Function] {
        var functions: [String: Function] = [:]
        func add<M: Message>(_ type: M.Type) {
            functions[M.messageName] = { try M(decoding: $0).encoded(options: options) }
        }
        add(Routeguide.RouteNote.self)
        add(Grpc.Testing.SimpleRequest.self)
        add(Grpc.Testing.StreamingOutputCallRequest.self)
        add(Grpc.Reflection.V1.ServerReflectionResponse.self)
        add(Names.TypeNames.Node.self)
        add(Names.TypeNames.StringMessage.self)
        add(Thing.self)
        add(Formats.Two.Two.self)
        add(Formats.Three.Three.self)
        return functions
    }
}
