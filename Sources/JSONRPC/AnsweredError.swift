/// The member `error` of an answer, in any shape.
///
/// The specification has one shape (§5.1). Servers that are older than it, or that follow another
/// convention, send text, an empty value beside the result, or a code as text.
struct AnsweredError: Decodable {
    private let value: Result<JSONRPCError, any Error>
    private let other: JSONValue

    init(from decoder: any Decoder) throws {
        value = Result { try JSONRPCError(from: decoder) }
        other = if case .success = value { .null } else { try JSONValue(from: decoder) }
    }

    /// Whether the answer has no result because of this error.
    var isFailure: Bool {
        if case .success = value { return true }
        return switch other {
        case .null, .bool(false), .string(""), .array([]), .object([:]): false
        default: true
        }
    }

    /// The error; nil if the value is empty, which means success. Throws a decoding error for a shape that is not
    /// that of the specification, unless `isLenient` is true.
    func reading(isLenient: Bool) throws -> JSONRPCError? {
        guard isLenient else { return try value.get() }
        if case .success(let error) = value { return error }
        return isFailure ? JSONRPCError(lenient: other) : nil
    }
}

extension JSONRPCError {
    /// Reads an error of another shape. What does not fit into the code and the message is the data.
    fileprivate init(lenient value: JSONValue) {
        switch value {
        case .string(let text): self.init(code: 0, message: text)
        case .integer(let code): self.init(code: code, message: "")
        case .object(var members):
            let code = members.removeValue(forKey: "code")
            let message = members.removeValue(forKey: "message")
            let data = members.removeValue(forKey: "data")
            // A code that is not a number is a part of the message, so that it is not lost.
            let text = [code?.number == nil ? code?.text : nil, message?.text]
            self.init(
                code: code?.number ?? 0, message: text.compactMap(\.self).joined(separator: ": "),
                data: data ?? (members.isEmpty ? nil : .object(members)))
        default: self.init(code: 0, message: "", data: value)
        }
    }
}

extension JSONValue {
    /// The value as an integer, also of text.
    fileprivate var number: Int? {
        switch self {
        case .integer(let number): number
        case .string(let text): Int(text)
        default: nil
        }
    }

    /// The value as text, unless it is null.
    fileprivate var text: String? {
        switch self {
        case .null: nil
        case .string(let text): text
        case .bool(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .unsigned(let value): "\(value)"
        case .number(let value): "\(value)"
        case .array, .object: "\(self)"
        }
    }
}
