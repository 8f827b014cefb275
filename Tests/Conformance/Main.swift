import Foundation
import SwiftletMessages

/// Answers protobuf's conformance runner: a request on the standard input, a response on the standard
/// output, each behind its length in four octets, little-endian, until the input ends.
///
///     conformance_test_runner .build/debug/swiftlet-conformance
@main
enum Main {
    struct TruncatedInput: Error, CustomStringConvertible {
        var description: String { "the input ends inside a request" }
    }

    static func main() {
        do {
            while let request = try next() { try send(answer(request)) }
        } catch {
            FileHandle.standardError.write(Data("swiftlet-conformance: \(error)\n".utf8))
            exit(1)
        }
    }

    /// The octets of the next request, or nil when the input ends where none has begun.
    private static func next() throws -> [UInt8]? {
        let prefix = try read(4)
        guard !prefix.isEmpty else { return nil }
        guard prefix.count == 4 else { throw TruncatedInput() }
        let byteCount = prefix.reversed().reduce(0) { $0 << 8 | Int($1) }
        let request = try read(byteCount)
        guard request.count == byteCount else { throw TruncatedInput() }
        return request
    }

    /// As many octets as asked for, or fewer when the input ends before.
    private static func read(_ byteCount: Int) throws -> [UInt8] {
        var octets: [UInt8] = []
        while octets.count < byteCount {
            let part = try FileHandle.standardInput.read(upToCount: byteCount - octets.count)
            guard let part, !part.isEmpty else { break }
            octets += part
        }
        return octets
    }

    private static func send(_ answer: ConformanceResponse) throws {
        var response = answer.encoded(reservingPrefix: 4)
        let byteCount = UInt32(response.count - 4)
        for index in 0..<4 {
            response[index] = UInt8(truncatingIfNeeded: byteCount >> (8 * UInt32(index)))
        }
        try FileHandle.standardOutput.write(contentsOf: Data(response))
    }

    private static func answer(_ octets: [UInt8]) -> ConformanceResponse {
        do throws(WireError) {
            return answer(try ConformanceRequest(decoding: octets))
        } catch {
            return .with { $0.result = .runtimeError("the request cannot be read: \(error)") }
        }
    }

    private static func answer(_ request: ConformanceRequest) -> ConformanceResponse {
        // The runner asks first which failures are known: none, an empty list.
        if request.messageType == "conformance.FailureSet" {
            return .with { $0.result = .protobuf([]) }
        }
        guard request.messageType == TestAllTypes.messageName else {
            return .with { $0.result = .skipped("\(request.messageType) is not known here") }
        }
        guard case .protobuf(let octets) = request.payload,
            request.requestedOutputFormat == .protobuf
        else { return .with { $0.result = .skipped("the binary format is the only one here") } }
        do throws(WireError) {
            let message = try TestAllTypes(decoding: octets)
            return .with { $0.result = .protobuf(message.encoded(options: .deterministic)) }
        } catch {
            return .with { $0.result = .parseError("\(error)") }
        }
    }
}
