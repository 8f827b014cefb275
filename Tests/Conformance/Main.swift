import Foundation
import SwiftletMessages

/// Answers protobuf's conformance runner: reads requests from the standard input, and writes responses to the
/// standard output, until the input ends. A length in four bytes, little-endian, precedes each of them.
///
///     DESCRIPTORS=FILE conformance_test_runner .build/debug/swiftlet-conformance
///
/// With a file of descriptors, such as `protoc --include_imports --descriptor_set_out` writes, every request
/// is answered through its schema, in all formats. Without one, compiled messages answer the requests in the
/// binary format. An environment variable names the file, because older runners pass their own arguments.
@main
enum Main {
    struct TruncatedInput: Error, CustomStringConvertible {
        var description: String { "the input ends inside a request" }
    }

    static func main() {
        do {
            let answers = try ProcessInfo.processInfo.environment["DESCRIPTORS"]
                .map(DynamicAnswers.init)
            while let request = try next() { try send(answer(request, answers)) }
        } catch {
            FileHandle.standardError.write(Data("swiftlet-conformance: \(error)\n".utf8))
            exit(1)
        }
    }

    /// The bytes of the next request; nil at the end of the input.
    private static func next() throws -> [UInt8]? {
        let prefix = try read(4)
        guard !prefix.isEmpty else { return nil }
        guard prefix.count == 4 else { throw TruncatedInput() }
        let byteCount = prefix.reversed().reduce(0) { $0 << 8 | Int($1) }
        let request = try read(byteCount)
        guard request.count == byteCount else { throw TruncatedInput() }
        return request
    }

    /// Reads up to `byteCount` bytes. Returns fewer only at the end of the input.
    private static func read(_ byteCount: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < byteCount {
            let part = try FileHandle.standardInput.read(upToCount: byteCount - bytes.count)
            guard let part, !part.isEmpty else { break }
            bytes += part
        }
        return bytes
    }

    private static func send(_ answer: ConformanceResponse) throws {
        var response = answer.encoded(reservingPrefix: 4)
        let byteCount = UInt32(response.count - 4)
        for index in 0..<4 {
            response[index] = UInt8(truncatingIfNeeded: byteCount >> (8 * UInt32(index)))
        }
        try FileHandle.standardOutput.write(contentsOf: Data(response))
    }

    private static func answer(
        _ bytes: [UInt8], _ answers: DynamicAnswers?
    ) -> ConformanceResponse {
        do throws(WireError) {
            return answer(try ConformanceRequest(decoding: bytes), answers)
        } catch {
            return .with { $0.result = .runtimeError("the request cannot be read: \(error)") }
        }
    }

    private static func answer(
        _ request: ConformanceRequest, _ answers: DynamicAnswers?
    ) -> ConformanceResponse {
        // The runner first asks for the list of known failures, which is empty.
        if request.messageType == "conformance.FailureSet" {
            return .with { $0.result = .protobuf([]) }
        }
        if let answers { return answers.answer(request) }
        guard case .protobuf(let bytes) = request.payload,
            request.requestedOutputFormat == .protobuf
        else {
            return .with { $0.result = .skipped("compiled messages have only the binary format") }
        }
        return switch request.messageType {
        case TestAllTypes.messageName: answer(bytes, as: TestAllTypes.self)
        case TestAllTypesProto2.messageName: answer(bytes, as: TestAllTypesProto2.self)
        default: .with { $0.result = .skipped("unknown message type: \(request.messageType)") }
        }
    }

    /// The response to a request to decode `bytes` as an `M` and to encode the message again.
    private static func answer<M: Message>(_ bytes: [UInt8], as: M.Type) -> ConformanceResponse {
        do throws(WireError) {
            let message = try M(decoding: bytes)
            return .with { $0.result = .protobuf(message.encoded(options: .deterministic)) }
        } catch {
            return .with { $0.result = .parseError("\(error)") }
        }
    }
}
