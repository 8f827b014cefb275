import Swiftlet
import SwiftletDynamic

/// Reads the answers of a mock server from JSON.
///
///     {
///       "shop.Cart/Get": {"reply": {"id": "7"}},
///       "shop.Cart/Watch": [
///         {"when": {"id": "7"}, "delay": "200ms", "replies": [{"count": 1}, {"count": 2}]},
///         {"status": {"code": "NOT_FOUND", "message": "no such cart"}}
///       ]
///     }
///
/// Errors have the line and the column in the file, and the path of the member.
struct AnswerFile {
    private static let maxDepth = 100

    private let schema: Schema
    private var scanner: JSONScanner

    /// The answers by the paths of methods.
    ///
    /// - Parameters:
    ///   - bytes: The JSON.
    ///   - schema: The services, which must be those of the ``MockService``: messages of two schemas are never
    ///     equal. An `Any`, also in the details of a status, may contain the types of this schema.
    static func read(
        _ bytes: [UInt8], schema: Schema
    ) throws -> [String: CannedAnswers] {
        var file = AnswerFile(
            schema: schema, scanner: JSONScanner(bytes, maxDepth: maxDepth))
        return try file.methods()
    }

    private mutating func methods() throws(FormatError) -> [String: CannedAnswers] {
        var methods: [String: CannedAnswers] = [:]
        try members { file, name throws(FormatError) in
            let method = try file.method(name)
            guard methods[method.path] == nil else {
                throw file.scanner.error("the method occurs twice")
            }
            methods[method.path] = CannedAnswers(answers: try file.answers(of: method))
        }
        try scanner.end()
        return methods
    }

    /// The method of a name such as `shop.Cart/Get`.
    private func method(_ name: String) throws(FormatError) -> MethodSchema {
        do {
            return try MethodReference(name).find(in: schema)
        } catch {
            let text = (error as? UsageError)?.message ?? "\(error)"
            throw scanner.error(text)
        }
    }
}

// MARK: - Answers

extension AnswerFile {
    private mutating func answers(of method: MethodSchema) throws(FormatError) -> [CannedAnswer] {
        guard try scanner.peek() == .list else { return [try answer(of: method)] }
        var answers: [CannedAnswer] = []
        try elements { file, _ throws(FormatError) in
            answers.append(try file.answer(of: method))
        }
        guard !answers.isEmpty else { throw scanner.error("the method has no answer") }
        return answers
    }

    private mutating func answer(of method: MethodSchema) throws(FormatError) -> CannedAnswer {
        var answer = CannedAnswer()
        _ = try scanner.peek()
        let start = scanner.index
        try members { file, name throws(FormatError) in
            switch name {
            case "when": answer.condition = try file.message(as: method.input)
            case "delay": answer.delay = try file.duration()
            case "metadata": answer.initialMetadata = try file.metadata()
            case "reply": answer.replies = [try file.message(as: method.output)]
            case "replies": answer.replies = try file.messages(as: method.output)
            case "status": answer.error = try file.status()
            case "trailers": answer.trailingMetadata = try file.metadata()
            default:
                let hint = NearestMatch.hint(for: name, among: Self.answerMembers)
                throw file.scanner.error(
                    "unknown member\(hint) (expected \(Self.answerMembers.joined(separator: ", ")))"
                )
            }
        }
        if let problem = Self.problem(of: answer, method) {
            throw scanner.error(problem, at: start)
        }
        return answer
    }

    private static let answerMembers = [
        "when", "delay", "metadata", "reply", "replies", "status", "trailers",
    ]

    private static func problem(of answer: CannedAnswer, _ method: MethodSchema) -> String? {
        guard !method.streamsResponses else { return nil }
        switch (answer.error, answer.replies.count) {
        case (nil, 1), (_?, 0): return nil
        case (nil, 0): return "the answer needs a 'reply', or a 'status' that is not OK"
        case (nil, _): return "the method has one reply, and the answer has several"
        case (_?, _):
            return "the answer has a reply and a status that is not OK; the method has one"
        }
    }

    private mutating func messages(
        as type: MessageSchema
    ) throws(FormatError) -> [DynamicMessage] {
        var messages: [DynamicMessage] = []
        try elements { file, _ throws(FormatError) in messages.append(try file.message(as: type)) }
        return messages
    }

    private mutating func message(as type: MessageSchema) throws(FormatError) -> DynamicMessage {
        _ = try scanner.peek()
        let start = scanner.index
        try scanner.skipValue()
        do throws(FormatError) {
            return try DynamicMessage(json: Array(scanner.bytes[start..<scanner.index]), as: type)
        } catch {
            // The position of the error is relative to the start of the value.
            let origin = scanner.error("", at: start)
            var moved = error
            if error.line == 1 { moved.column += origin.column - 1 }
            moved.line += origin.line - 1
            throw moved
        }
    }
}

// MARK: - Statuses, metadata and times

extension AnswerFile {
    /// The error of a status; nil for OK.
    private mutating func status() throws(FormatError) -> RPCError? {
        var code: StatusCode?
        var status = Google.RPC.Status()
        try members { file, name throws(FormatError) in
            switch name {
            case "code": code = try file.code()
            case "message": status.message = try file.text()
            case "details": status.details = try file.details()
            default:
                throw file.scanner.error("unknown member (expected code, message, details)")
            }
        }
        guard let code else { throw scanner.error("the status has no 'code'") }
        guard code != .ok else { return nil }
        status.code = Int32(code.rawValue)
        guard status.details.isEmpty else { return RPCError(status) }
        return RPCError(code, status.message)
    }

    private mutating func code() throws(FormatError) -> StatusCode {
        if try scanner.peek() == .number {
            let start = scanner.index
            guard let number = Int(try scanner.number()), (0...16).contains(number) else {
                throw scanner.error("not a status code (expected 0 to 16, or a name)", at: start)
            }
            return StatusCode(rawValue: number)
        }
        let start = scanner.index
        let name = try text()
        guard let code = StatusCode(name: name) else {
            let hint = NearestMatch.hint(for: name, among: StatusCode.names)
            throw scanner.error("'\(name)' is not a status code\(hint)", at: start)
        }
        return code
    }

    private mutating func details() throws(FormatError) -> [Google.Protobuf.AnyMessage] {
        var details: [Google.Protobuf.AnyMessage] = []
        try elements { file, _ throws(FormatError) in
            guard let type = file.schema.message("google.protobuf.Any") else {
                throw file.scanner.error("the schema lacks google.protobuf.Any")
            }
            let any = try file.message(as: type)
            do {
                details.append(try .init(decoding: any.encoded()))
            } catch {
                throw file.scanner.error("\(error)")
            }
        }
        return details
    }

    private mutating func metadata() throws(FormatError) -> Metadata {
        var metadata = Metadata()
        try members { file, name throws(FormatError) in
            guard try file.scanner.peek() == .list else {
                return try file.add(to: &metadata, name)
            }
            try file.elements { file, _ throws(FormatError) in try file.add(to: &metadata, name) }
        }
        return metadata
    }

    private mutating func add(to metadata: inout Metadata, _ name: String) throws(FormatError) {
        _ = try scanner.peek()
        let start = scanner.index
        let value = try text()
        do {
            try HeaderOption.add(value, for: name, to: &metadata)
        } catch {
            let text = (error as? RPCError)?.message ?? (error as? UsageError)?.message
            throw scanner.error(text ?? "\(error)", at: start)
        }
    }

    private mutating func duration() throws(FormatError) -> Duration {
        _ = try scanner.peek()
        let start = scanner.index
        let text = try text()
        guard let duration = Duration(commandLine: text) else {
            throw scanner.error("not a time: '\(text)' (expected for example \"200ms\")", at: start)
        }
        return duration
    }

    private mutating func text() throws(FormatError) -> String {
        _ = try scanner.peek()
        return try scanner.string()
    }
}

// MARK: - Structure

extension AnswerFile {
    /// Reads an object. If a member causes an error, the path of the error contains its name.
    private mutating func members(
        _ member: (inout AnswerFile, String) throws(FormatError) -> Void
    ) throws(FormatError) {
        var file = self
        try scanner.object { scanner, name throws(FormatError) in
            file.scanner = scanner
            defer { scanner = file.scanner }
            do throws(FormatError) { try member(&file, name) } catch { throw error.inside(name) }
        }
    }

    /// Reads a list. If an element causes an error, the path of the error contains its index.
    private mutating func elements(
        _ element: (inout AnswerFile, Int) throws(FormatError) -> Void
    ) throws(FormatError) {
        var file = self
        try scanner.list { scanner, index throws(FormatError) in
            file.scanner = scanner
            defer { scanner = file.scanner }
            do throws(FormatError) {
                try element(&file, index)
            } catch {
                throw error.inside("[\(index)]")
            }
        }
    }
}
