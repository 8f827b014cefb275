import SwiftletMessages

/// One test: a message to decode, and the format to encode it in.
struct ConformanceRequest: Message {
    enum Payload: Equatable {
        case protobuf([UInt8])
        case json(String)
        case jspb(String)
        case text(String)
    }

    struct WireFormat: OpenEnum {
        var rawValue: Int32
        init(rawValue: Int32) { self.rawValue = rawValue }
        static let protobuf = WireFormat(rawValue: 1)
        static let json = WireFormat(rawValue: 2)
        static let jspb = WireFormat(rawValue: 3)
        static let text = WireFormat(rawValue: 4)
    }

    struct TestCategory: OpenEnum {
        var rawValue: Int32
        init(rawValue: Int32) { self.rawValue = rawValue }
        static let jsonIgnoringUnknownFields = TestCategory(rawValue: 3)
    }

    var payload: Payload?
    var requestedOutputFormat = WireFormat()
    var messageType = ""
    var testCategory = TestCategory()
    var printUnknownFields = false
    var unknownFields = UnknownFields()

    static let layout = Layout<Self> { field in
        field.oneof(1, \.payload, .bytes, Payload.protobuf) {
            if case .protobuf(let it) = $0 { it } else { nil }
        }
        field.oneof(2, \.payload, .string, Payload.json) {
            if case .json(let it) = $0 { it } else { nil }
        }
        field.enumeration(3, \.requestedOutputFormat)
        field.string(4, \.messageType)
        field.enumeration(5, \.testCategory)
        field.oneof(7, \.payload, .string, Payload.jspb) {
            if case .jspb(let it) = $0 { it } else { nil }
        }
        field.oneof(8, \.payload, .string, Payload.text) {
            if case .text(let it) = $0 { it } else { nil }
        }
        field.bool(9, \.printUnknownFields)
    }
}

/// The outcome of the test.
struct ConformanceResponse: Message {
    enum Result: Equatable {
        case parseError(String)
        case runtimeError(String)
        case protobuf([UInt8])
        case json(String)
        case skipped(String)
        case serializeError(String)
        case text(String)
    }

    var result: Result?
    var unknownFields = UnknownFields()

    static let layout = Layout<Self> { field in
        field.oneof(1, \.result, .string, Result.parseError) {
            if case .parseError(let it) = $0 { it } else { nil }
        }
        field.oneof(2, \.result, .string, Result.runtimeError) {
            if case .runtimeError(let it) = $0 { it } else { nil }
        }
        field.oneof(3, \.result, .bytes, Result.protobuf) {
            if case .protobuf(let it) = $0 { it } else { nil }
        }
        field.oneof(4, \.result, .string, Result.json) {
            if case .json(let it) = $0 { it } else { nil }
        }
        field.oneof(5, \.result, .string, Result.skipped) {
            if case .skipped(let it) = $0 { it } else { nil }
        }
        field.oneof(6, \.result, .string, Result.serializeError) {
            if case .serializeError(let it) = $0 { it } else { nil }
        }
        field.oneof(8, \.result, .string, Result.text) {
            if case .text(let it) = $0 { it } else { nil }
        }
    }
}
