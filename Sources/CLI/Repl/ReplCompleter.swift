import SwiftletDynamic

/// Words that can be typed at the cursor.
struct Completion: Equatable {
    /// The characters before the cursor that a candidate replaces.
    var replacedCount = 0
    /// In alphabetical order.
    var candidates: [String] = []
    /// The text after the only candidate.
    var suffix = ""

    /// The text that replaces the characters before the cursor: the only candidate, or the common prefix of
    /// all candidates. Nil if that adds nothing.
    var replacement: String? {
        guard let first = candidates.first else { return nil }
        guard candidates.count > 1 else { return first + suffix }
        let common = candidates.dropFirst().reduce(first[...]) { $0.commonPrefix(with: $1) }
        return common.count > replacedCount ? String(common) : nil
    }
}

/// Completes the text that is typed in the interactive mode.
struct ReplCompleter {
    let schema: Schema

    func complete(_ text: String) -> Completion {
        let words = text.drop(while: \.isWhitespace)
        let first = String(words.prefix { !$0.isWhitespace })
        let rest = words.dropFirst(first.count)
        guard let space = rest.firstIndex(where: { !$0.isWhitespace }) ?? rest.indices.last else {
            return word(first, among: ReplInput.commands + methodNames, methods: true)
        }
        let argument = rest[space].isWhitespace ? "" : String(rest[space...])
        switch first {
        case "call": return call(argument)
        case "list":
            return word(argument, among: schema.services.map(\.fullName), methods: false)
        case "describe", "template":
            let names =
                schema.services.map(\.fullName) + schema.messages.map(\.fullName) + methodNames
            return word(argument, among: names, methods: true)
        case _ where ReplInput.commands.contains(first): return Completion()
        default: return requests(argument, of: first)
        }
    }

    private var methodNames: [String] {
        schema.services.flatMap(\.methods).map { String($0.path.dropFirst()) }
    }

    /// Completes a word to a name. With `methods`, the word may also be the beginning of a name's last part.
    private func word(_ word: String, among names: [String], methods: Bool) -> Completion {
        var found = names.filter { $0.hasPrefix(word) }
        if found.isEmpty, methods, !word.isEmpty {
            found = names.filter { name in
                name.split(whereSeparator: { $0 == "/" || $0 == "." }).last?.hasPrefix(word) == true
            }
        }
        return Completion(
            replacedCount: word.count, candidates: Set(found).inOrder(), suffix: " ")
    }

    private func call(_ text: String) -> Completion {
        let method = String(text.prefix { !$0.isWhitespace })
        guard method.count < text.count else {
            return word(method, among: methodNames, methods: true)
        }
        return requests(
            String(text.dropFirst(method.count).drop(while: \.isWhitespace)), of: method)
    }
}

// MARK: - Requests

extension ReplCompleter {
    /// The schema type of an object or a list in the typed text.
    private enum Shape {
        case message(MessageSchema)
        case map(FieldSchema)
        case list(FieldSchema)
        case unknown

        init(single field: FieldSchema?) {
            self = field?.message.map { .message($0) } ?? .unknown
        }

        /// The field that describes the value of the member `name`, or of an element.
        func field(_ name: String?) -> FieldSchema? {
            switch self {
            case .message(let message):
                name.flatMap { message.field(jsonName: $0) ?? message.field($0) }
            case .map(let field): field.mapValue
            case .list(let field): field
            case .unknown: nil
            }
        }

        /// The shape of the value of the member `name`. In a list, the shape of an element.
        func inner(_ name: String?) -> Shape {
            let field = field(name)
            switch self {
            case .message:
                guard let field else { return .unknown }
                return field.isMap
                    ? .map(field) : field.isList ? .list(field) : Shape(single: field)
            case .map, .list: return Shape(single: field)
            case .unknown: return .unknown
            }
        }
    }

    private func requests(_ text: String, of name: String) -> Completion {
        guard let method = try? schema.method(named: name) else { return Completion() }
        let cursor = JSONCursor(text)
        let path = cursor.path
        var shape = Shape.message(method.input)
        for name in path.dropLast() { shape = shape.inner(name) }
        switch cursor.place {
        case .name(let partial, let isQuoted):
            guard case .message(let message) = shape else { return Completion() }
            let names = message.fields
                .filter { !cursor.names.contains($0.jsonName) && !cursor.names.contains($0.name) }
                .map { JSONQuotes.around($0.typedName) }
            return quoted(partial, isQuoted, among: names, suffix: ": ")
        case .value(let partial, let isQuoted):
            guard let last = path.last else {
                return quoted(partial, isQuoted, among: ["{"], suffix: "")
            }
            let isElement = if case .message = shape { false } else { true }
            let values = shape.field(last).map { Self.values(of: $0, isElement: isElement) }
            return quoted(partial, isQuoted, among: values ?? [], suffix: "")
        case .punctuation, .end: return Completion()
        }
    }

    private func quoted(
        _ partial: String, _ isQuoted: Bool, among texts: [String], suffix: String
    ) -> Completion {
        let beginning = isQuoted ? "\"" + partial : partial
        let found = texts.filter { text in
            text.hasPrefix(beginning) || (!isQuoted && text.hasPrefix("\"" + beginning))
        }
        return Completion(
            replacedCount: beginning.count, candidates: found.inOrder(), suffix: suffix)
    }

    /// The values of a field, or the characters with which they begin.
    private static func values(of field: FieldSchema, isElement: Bool) -> [String] {
        if field.isMap, !isElement { return ["{"] }
        if field.isList, !isElement { return ["["] }
        switch field.type {
        case .enumeration:
            return field.enumeration?.values.map { JSONQuotes.around($0.name) } ?? []
        case .bool: return ["true", "false"]
        case .message, .group: return ["{"]
        case .string, .bytes: return ["\""]
        default: return []
        }
    }
}

/// Quotes names of a schema, which need no escapes.
private enum JSONQuotes {
    static func around(_ name: String) -> String { "\"\(name)\"" }
}

extension Substring {
    fileprivate func commonPrefix(with other: String) -> Substring {
        let count = zip(self, other).prefix { $0 == $1 }.count
        return prefix(count)
    }
}
