import SwiftletTransport

/// Headers or trailers of a call: an ordered list of names and values.
///
/// Names are lower-case ASCII and may repeat; look-ups ignore case. The value of a name that ends
/// in `-bin` is bytes. The value of any other name is printable ASCII text; spaces at its ends are
/// removed. If a server sends a `-bin` value that is not base64, it is kept as text. If a server sends
/// text with more than 30 combining marks in a row, it is kept as bytes: Swift would take very long to
/// compare it.
///
/// ```swift
/// var metadata: Metadata = ["x-request-id": "7f3a"]
/// metadata.append(bytes: [0xab], for: "x-trace-bin")
/// metadata["X-Request-ID"]  // "7f3a"
/// metadata["x-tenant"] = "blue"
/// ```
///
/// An illegal name or value is reported when the metadata is sent: the call ends with
/// INVALID_ARGUMENT, and the message names the rule. ``add(_:for:)`` reports it at once.
public struct Metadata: Sendable {
    /// A value: bytes if the name ends in `-bin`, otherwise text.
    public enum Content: Sendable {
        case text(String)
        case bytes([UInt8])
    }

    /// A name with one of its values.
    public struct Element: Hashable, Sendable {
        /// In lower case.
        public let name: String
        public let value: Content

        /// - Parameters:
        ///   - name: The name; it is converted to lower case.
        ///   - value: The value, which is not checked.
        public init(name: String, value: Content) {
            self.init(lowercased: name.lowercasedASCII, value)
        }

        /// Whether this element reports an illegal value. If true, `value` is the text of the
        /// problem.
        fileprivate let isProblem: Bool

        fileprivate init(lowercased name: String, _ value: Content, isProblem: Bool = false) {
            self.name = name
            self.value = value
            self.isProblem = isProblem
        }
    }

    /// The values, followed by one element with `isProblem` for each illegal value. One array holds
    /// all of them, because each call copies and moves its metadata often.
    private var elements: [Element] = []

    public init() {}
}

// MARK: - Reading

extension Metadata {
    /// The first text for `name`, or nil. Setting it replaces all values for the name.
    public subscript(name: String) -> String? {
        get {
            for case .text(let text) in self[all: name] { return text }
            return nil
        }
        set {
            removeAll(name)
            if let newValue { append(newValue, for: name) }
        }
    }

    /// The first bytes for `name`, which ends in `-bin`, or nil.
    public func bytes(for name: String) -> [UInt8]? {
        for case .bytes(let bytes) in self[all: name] { return bytes }
        return nil
    }

    /// All values for `name`, in order.
    public subscript(all name: String) -> [Content] {
        guard !isEmpty else { return [] }
        let name = name.lowercasedASCII
        return self.filter { $0.name == name }.map(\.value)
    }
}

extension Metadata: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int {
        guard hasProblems else { return elements.count }
        return elements.firstIndex { $0.isProblem } ?? elements.count
    }
    public subscript(position: Int) -> Element { elements[position] }
}

extension Metadata: Hashable {}

// MARK: - Writing

extension Metadata {
    /// Moves all values out, and returns them.
    mutating func take() -> Metadata {
        var taken = Metadata()
        swap(&taken, &self)
        return taken
    }

    /// Appends a text.
    public mutating func append(_ text: String, for name: String) {
        append(unchecked: .text(text), for: name)
    }

    /// Appends bytes under a name that ends in `-bin`.
    public mutating func append(bytes: [UInt8], for name: String) {
        append(unchecked: .bytes(bytes), for: name)
    }

    /// Appends a text. Throws INVALID_ARGUMENT, naming the rule, if the name or the text is
    /// illegal.
    public mutating func add(_ text: String, for name: String) throws(RPCError) {
        try add(.text(text), for: name)
    }

    /// Appends bytes. Throws INVALID_ARGUMENT, naming the rule, if the name is illegal.
    public mutating func add(bytes: [UInt8], for name: String) throws(RPCError) {
        try add(.bytes(bytes), for: name)
    }

    /// Appends all values of `other`.
    public mutating func append(contentsOf other: Metadata) {
        guard hasProblems || other.hasProblems else {
            elements += other.elements
            return
        }
        elements.insert(contentsOf: other, at: endIndex)
        elements += other.elements[other.endIndex...]
    }

    /// Removes all values for `name`.
    @inline(never)  // Has many callers.
    public mutating func removeAll(_ name: String) {
        let name = name.lowercasedASCII
        elements.removeAll { $0.name == name }
    }

    @inline(never)  // Has many callers.
    private mutating func append(unchecked value: Content, for name: String) {
        let (name, value) = (name.lowercasedASCII, value.trimmed)
        if let problem = MetadataRules.problem(name, value) {
            elements.append(Element(lowercased: name, .text(problem), isProblem: true))
        } else {
            append(Element(lowercased: name, value))
        }
    }

    /// Why the metadata cannot be sent; nil if it can.
    package var problem: String? {
        guard hasProblems, case .text(let text) = elements[endIndex].value else { return nil }
        return text
    }

    /// Whether there are neither values nor problems.
    var hasNoElements: Bool { elements.isEmpty }

    /// Problems are the last elements.
    private var hasProblems: Bool { elements.last?.isProblem ?? false }

    private mutating func append(_ element: Element) {
        if hasProblems {
            elements.insert(element, at: endIndex)
        } else {
            elements.append(element)
        }
    }

    private mutating func add(_ value: Content, for name: String) throws(RPCError) {
        let (name, value) = (name.lowercasedASCII, value.trimmed)
        if let problem = MetadataRules.problem(name, value) {
            throw .refused(.invalidArgument, problem)
        }
        append(Element(lowercased: name, value))
    }

    /// Appends a value that a peer sent, without a check.
    @inline(never)  // Has many callers.
    package mutating func append(received value: Content, for name: String) {
        if case .text(let text) = value, !WireText.hasBoundedMarks(text) {
            return append(Element(lowercased: name, .bytes(Array(text.utf8))))
        }
        append(Element(lowercased: name, value))
    }
}

// Values are compared as bytes, because a peer may have sent them.
extension Metadata.Content: Hashable {
    public static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.text(let left), .text(let right)): left.hasBytes(of: right)
        case (.bytes(let left), .bytes(let right)): left == right
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .text(let text):
            hasher.combine(0 as UInt8)
            for byte in text.utf8 { hasher.combine(byte) }
        case .bytes(let bytes):
            hasher.combine(1 as UInt8)
            hasher.combine(bytes)
        }
    }
}

extension Metadata: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { append(value, for: name) }
    }
}

extension Metadata.Content {
    /// Text without spaces at its ends, which HTTP/2 does not allow (RFC 9113 §8.2.1).
    fileprivate var trimmed: Metadata.Content {
        guard case .text(let text) = self, text.utf8.first == 0x20 || text.utf8.last == 0x20
        else { return self }
        var bytes = text.utf8[...]
        while bytes.first == 0x20 { bytes.removeFirst() }
        while bytes.last == 0x20 { bytes.removeLast() }
        return .text(String(decoding: bytes, as: UTF8.self))
    }
}

extension String {
    /// Converts only A–Z. Unicode's rules would also convert the Kelvin sign to `k`, and so make an
    /// illegal name legal.
    @inline(never)  // Has many callers.
    fileprivate var lowercasedASCII: String {
        guard utf8.contains(where: { (0x41...0x5a).contains($0) }) else { return self }
        return String(
            decoding: utf8.map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}

extension Metadata: CustomStringConvertible {
    /// For logs: values that authenticate a caller are hidden.
    public var description: String {
        "[" + map(\.description).joined(separator: ", ") + "]"
    }
}
