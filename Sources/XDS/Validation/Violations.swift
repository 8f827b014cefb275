import SwiftletCore
import SwiftletMessages

/// Collects what is wrong with a resource. Each sentence names the field and its value.
struct Violations {
    /// The most bytes of sentences that are kept. A control plane can send millions of wrong fields.
    static let maxByteCount = 4_096

    /// The most steps of all regular expressions of a resource. A repetition of a few bytes has thousands.
    static let maxStepCount = 100_000

    private var stepCount = 0
    private var sentences: [String] = []
    private var byteCount = 0
    private var leftOutCount = 0
    private var path: [(field: StaticString, index: Int?)] = []

    var isEmpty: Bool { sentences.isEmpty }

    /// The sentences, and how many there are beyond the limit.
    var texts: [String] { sentences + (leftOutCount > 0 ? ["and \(leftOutCount) more"] : []) }
}

extension Violations {
    /// Adds a sentence about a field of the message that is being checked, or about the message itself.
    mutating func add(_ field: StaticString? = nil, _ problem: @autoclosure () -> String) {
        guard byteCount < Self.maxByteCount else {
            leftOutCount += 1
            return
        }
        var names = path.map { field, index in index.map { "\(field)[\($0)]" } ?? "\(field)" }
        if let field { names.append("\(field)") }
        let name = names.joined(separator: ".")
        let sentence = RPCError.shown(name.isEmpty ? problem() : "\(name): \(problem())")
        byteCount += sentence.utf8.count
        sentences.append(sentence)
    }

    /// Calls `check` for the message in a field.
    mutating func within<Value>(
        _ field: StaticString, _ index: Int? = nil, _ check: (inout Violations) -> Value
    ) -> Value {
        path.append((field, index))
        defer { path.removeLast() }
        return check(&self)
    }

    /// Calls `check` for each element of a field, and returns the elements that are valid.
    mutating func each<Element, Value>(
        _ field: StaticString, _ elements: [Element],
        _ check: (Element, inout Violations) -> Value?
    ) -> [Value] {
        var values: [Value] = []
        values.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            if let value = within(field, index, { check(element, &$0) }) { values.append(value) }
        }
        return values
    }
}

// MARK: - Values that many messages have

extension Violations {
    /// A duration of zero or more; nil if it is missing or not valid.
    mutating func duration(
        _ field: StaticString, _ message: Google.Protobuf.Duration?
    ) -> Duration? {
        guard let message else { return nil }
        guard 0...315_576_000_000 ~= message.seconds, 0...999_999_999 ~= message.nanos else {
            add(
                field,
                "\(message.seconds) s and \(message.nanos) ns are no duration of zero or more")
            return nil
        }
        return .seconds(message.seconds) + .nanoseconds(message.nanos)
    }

    /// A fraction in millionths, at most all of them.
    mutating func millionths(
        _ field: StaticString, _ message: Envoy.Types.FractionalPercent
    ) -> UInt32 {
        let factor: UInt64
        switch message.denominator {
        case .hundred: factor = 10_000
        case .tenThousand: factor = 100
        case .million: factor = 1
        default:
            add(field, "the denominator \(message.denominator.rawValue) is not known")
            return 0
        }
        return UInt32(min(UInt64(message.numerator) * factor, 1_000_000))
    }

    /// A number within a range; nil if it is outside.
    mutating func number(
        _ field: StaticString, _ value: some FixedWidthInteger, in range: ClosedRange<Int>
    ) -> Int? {
        guard let number = Int(exactly: value), range.contains(number) else {
            add(field, "\(value) is not from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return number
    }

    /// The text, which must not be empty.
    mutating func nonempty(_ field: StaticString, _ text: String) -> ByteText {
        if text.isEmpty { add(field, "is empty") }
        return ByteText(text)
    }

    mutating func regex(
        _ field: StaticString, _ message: Envoy.Matcher.RegexMatcher
    ) -> RegularExpression? {
        guard stepCount < Self.maxStepCount else {
            add(field, "the resource has too many large regular expressions")
            return nil
        }
        do throws(RegexError) {
            let expression = try RegularExpression(message.regex)
            stepCount += expression.stepCount
            return expression
        } catch {
            // It may have been refused for its size, after as much work.
            stepCount += RegexProgram.maxStepCount
            add(field, "'\(message.regex.prefix(80))' is no regular expression: \(error.message)")
            return nil
        }
    }

    /// Whether a resource comes from the same control plane.
    mutating func checkSource(_ field: StaticString, _ source: Envoy.Core.ConfigSource?) {
        switch source?.configSourceSpecifier {
        case .ads?, .selfSource?: break
        case nil: add(field, "must be 'ads' or 'self'")
        }
    }

    mutating func name(
        _ field: StaticString, _ text: String, of type: ResourceType
    ) -> ResourceName? {
        let text = nonempty(field, text)
        let name = ResourceName(text.string, of: type)
        if name == nil { add(field, "'\(text)' is not the name of a \(type.messageName)") }
        return name
    }

    /// The message inside; nil if it is of another type or not valid.
    mutating func unpack<M: Message>(
        _ field: StaticString, _ any: Google.Protobuf.AnyMessage?, as type: M.Type
    ) -> M? {
        guard let any else {
            add(field, "is required")
            return nil
        }
        guard any.holds(type) else {
            add(field, "is of type '\(any.typeURL)', not '\(M.messageName)'")
            return nil
        }
        return decode(field, any.value, as: type)
    }

    mutating func decode<M: Message>(
        _ field: StaticString? = nil, _ bytes: [UInt8], as type: M.Type
    ) -> M? {
        do throws(WireError) {
            return try M(decoding: bytes)
        } catch {
            add(field, "is no valid \(M.messageName): \(error)")
            return nil
        }
    }
}
