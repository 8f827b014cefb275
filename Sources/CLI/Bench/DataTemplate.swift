import SwiftletDynamic

/// The values of the placeholders of a ``DataTemplate`` in one call.
struct TemplateValues {
    /// The number of the call, from 0.
    var requestNumber: Int
    /// The number of the task that makes the call, from 0.
    var workerNumber: Int
    /// Nanoseconds since 1970.
    var now: Int64
    var method: MethodSchema
}

/// A text with placeholders such as `{{.RequestNumber}}`, which each call replaces.
struct DataTemplate: Sendable {
    private enum Part: Sendable {
        case text(String)
        case value(Value)
        case randomInt(ClosedRange<Int>)
        case randomString(Int)
        case uuid
    }

    /// The names are those of ghz.
    enum Value: String, CaseIterable {
        case requestNumber = "RequestNumber"
        case workerID = "WorkerID"
        case timestamp = "Timestamp"
        case timestampUnix = "TimestampUnix"
        case timestampUnixMilli = "TimestampUnixMilli"
        case timestampUnixNano = "TimestampUnixNano"
        case fullyQualifiedName = "FullyQualifiedName"
        case serviceName = "ServiceName"
        case methodName = "MethodName"
        case inputName = "InputName"
        case outputName = "OutputName"
        case isClientStreaming = "IsClientStreaming"
        case isServerStreaming = "IsServerStreaming"
    }

    private static let maxRandomStringCount = 1 << 20

    private var parts: [Part] = []

    /// Whether the text is the same for every call.
    var isConstant: Bool {
        parts.allSatisfy { if case .text = $0 { true } else { false } }
    }

    /// Throws a usage error that names a placeholder that does not exist.
    init(_ text: String) throws {
        var rest = text[...]
        while let open = rest.firstOccurrence(of: "{{") {
            let inside = rest[open.upperBound...]
            guard let close = inside.firstOccurrence(of: "}}") else {
                throw UsageError(
                    message: "'{{' without '}}' in '\(text)'", isAboutUsage: false)
            }
            parts.append(.text(String(rest[..<open.lowerBound])))
            parts.append(try Self.part(String(inside[..<close.lowerBound])))
            rest = inside[close.upperBound...]
        }
        parts.append(.text(String(rest)))
    }

    private static func part(_ placeholder: String) throws -> Part {
        let words = placeholder.split(separator: " ").map(String.init)
        let numbers = words.dropFirst().compactMap { Int($0) }
        switch (words.first ?? "", numbers.count, words.count) {
        case (let name, 0, 1) where name.hasPrefix("."):
            if name == ".UUID" { return .uuid }
            if let value = Value(rawValue: String(name.dropFirst())) { return .value(value) }
        case ("newUUID", 0, 1): return .uuid
        case ("randomInt", 2, 3) where numbers[0] <= numbers[1]:
            return .randomInt(numbers[0]...numbers[1])
        case ("randomString", 1, 2) where (0...maxRandomStringCount).contains(numbers[0]):
            return .randomString(numbers[0])
        default: break
        }
        let names = Value.allCases.map { "." + $0.rawValue } + [".UUID", "newUUID"]
        let hint = NearestMatch.hint(for: words.first ?? "", among: names)
        throw UsageError(
            message: "unknown placeholder '{{\(placeholder)}}'\(hint) (expected "
                + names.joined(separator: ", ") + ", randomInt MIN MAX, randomString COUNT)",
            isAboutUsage: false)
    }

    /// The text of one call.
    func text(
        _ values: TemplateValues, using random: inout some RandomNumberGenerator
    ) -> String {
        var text = ""
        for part in parts {
            switch part {
            case .text(let constant): text += constant
            case .value(let value): text += value.text(values)
            case .randomInt(let range): text += "\(Int.random(in: range, using: &random))"
            case .randomString(let count):
                for _ in 0..<count { text.append(Self.randomCharacter(&random)) }
            case .uuid: text += Self.uuid(&random)
            }
        }
        return text
    }

    private static func randomCharacter(
        _ random: inout some RandomNumberGenerator
    ) -> Character {
        let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
        return letters[Int.random(in: letters.indices, using: &random)]
    }

    /// A random UUID of version 4 (RFC 9562 §5.4).
    private static func uuid(_ random: inout some RandomNumberGenerator) -> String {
        var text = ""
        for index in 0..<16 {
            var byte = UInt8.random(in: 0...255, using: &random)
            if index == 6 { byte = byte & 0x0f | 0x40 }
            if index == 8 { byte = byte & 0x3f | 0x80 }
            if [4, 6, 8, 10].contains(index) { text += "-" }
            text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        return text
    }
}

extension DataTemplate.Value {
    fileprivate func text(_ values: TemplateValues) -> String {
        switch self {
        case .requestNumber: "\(values.requestNumber)"
        case .workerID: "\(values.workerNumber)"
        case .timestamp: LoadRun.text(nanoseconds: values.now)
        case .timestampUnix: "\(values.now / 1_000_000_000)"
        case .timestampUnixMilli: "\(values.now / 1_000_000)"
        case .timestampUnixNano: "\(values.now)"
        case .fullyQualifiedName: values.method.fullName
        case .serviceName: values.method.service.fullName
        case .methodName: values.method.name
        case .inputName: values.method.input.fullName
        case .outputName: values.method.output.fullName
        case .isClientStreaming: "\(values.method.streamsRequests)"
        case .isServerStreaming: "\(values.method.streamsResponses)"
        }
    }
}
