import Foundation
import SwiftletDynamic
import SwiftletMessages

/// Answers requests through messages whose types are known only at run time.
struct DynamicAnswers {
    private let schema: Schema

    /// Reads the schema from a file of descriptors.
    init(_ path: String) throws {
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        schema = try Schema(Google.Protobuf.FileDescriptorSet(decoding: bytes))
    }

    func answer(_ request: ConformanceRequest) -> ConformanceResponse {
        guard let type = schema.message(request.messageType) else {
            return .with { $0.result = .skipped("unknown message type: \(request.messageType)") }
        }
        do {
            guard let message = try message(request, type) else {
                return .with { $0.result = .skipped("JSPB is a format of Google's alone") }
            }
            return .with { $0.result = result(message, request) }
        } catch {
            return .with { $0.result = .parseError("\(error)") }
        }
    }

    /// The message in the request; nil for a format that is not public.
    private func message(
        _ request: ConformanceRequest, _ type: MessageSchema
    ) throws -> DynamicMessage? {
        switch request.payload {
        case .protobuf(let bytes): return try DynamicMessage(decoding: bytes, as: type)
        case .json(let text):
            let ignores = request.testCategory == .jsonIgnoringUnknownFields
            return try DynamicMessage(
                json: text, as: type, options: JSONReadingOptions(ignoresUnknownFields: ignores))
        case .text(let text): return try DynamicMessage(text: text, as: type)
        case .jspb, nil: return nil
        }
    }

    private func result(
        _ message: DynamicMessage, _ request: ConformanceRequest
    ) -> ConformanceResponse.Result {
        do {
            switch request.requestedOutputFormat {
            case .protobuf: return .protobuf(try message.encoded(options: .deterministic))
            case .json: return .json(try message.json())
            case .text:
                let options = TextWritingOptions(writesUnknownFields: request.printUnknownFields)
                return .text(message.text(options: options))
            default: return .skipped("JSPB is a format of Google's alone")
            }
        } catch {
            return .serializeError("\(error)")
        }
    }
}
