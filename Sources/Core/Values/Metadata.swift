import SwiftletTransport

/// Headers or trailers of a call: an ordered list of names and values.
///
/// Names are lower-case ASCII and may repeat; look-ups ignore case. A name that ends in `-bin`
/// carries octets, any other carries printable ASCII; blanks at the ends of text are taken off.
/// Of what a server sends under such a name, a value that is not base64 is kept as the text that
/// came.
///
/// ```swift
/// var metadata: Metadata = ["x-request-id": "7f3a"]
/// metadata.append(bytes: [0xab], for: "x-trace-bin")
/// metadata["X-Request-ID"]  // "7f3a"
/// metadata["x-tenant"] = "blue"
/// ```
///
/// A name or a text that is illegal is found when the metadata is to be sent: the call ends with
/// INVALID_ARGUMENT, and the message says which rule it breaks. ``add(_:for:)`` finds it at once.
public struct Metadata: Sendable {
    /// A value: text, or octets where the name ends in `-bin`.
    public enum Content: Hashable, Sendable {
        case text(String)
        case bytes([UInt8])
    }

    public struct Element: Hashable, Sendable {
        public let name: String
        public let value: Content
    }

    /// The metadata, and behind them what was to be added and is illegal: in place of its value, what
    /// is wrong with it. In one array, because every copy of a call's options would pay for another.
    private var elements: [Element] = []
    private var problemCount = 0

    public init() {}
}

// MARK: - Reading

extension Metadata {
    /// The first text for `name`, or nil. What is set takes the place of all values for it.
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

    /// The first octets for `name`, which ends in `-bin`, or nil.
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
    public var endIndex: Int { elements.count - problemCount }
    public subscript(position: Int) -> Element { elements[position] }
}

extension Metadata: Hashable {}

// MARK: - Writing

extension Metadata {
    /// Moves all of it out.
    mutating func take() -> Metadata {
        var taken = Metadata()
        swap(&taken, &self)
        return taken
    }

    /// Adds text behind what is there.
    public mutating func append(_ text: String, for name: String) {
        append(unchecked: .text(text), for: name)
    }

    /// Adds octets behind what is there, under a name that ends in `-bin`.
    public mutating func append(bytes: [UInt8], for name: String) {
        append(unchecked: .bytes(bytes), for: name)
    }

    /// Adds a text whose legality is not known. Throws an error that names the rule it breaks.
    public mutating func add(_ text: String, for name: String) throws(RPCError) {
        try add(.text(text), for: name)
    }

    /// Adds octets under a name whose legality is not known.
    public mutating func add(bytes: [UInt8], for name: String) throws(RPCError) {
        try add(.bytes(bytes), for: name)
    }

    /// Adds all of `other`.
    public mutating func append(contentsOf other: Metadata) {
        guard problemCount > 0 || other.problemCount > 0 else {
            elements += other.elements
            return
        }
        elements.insert(contentsOf: other, at: endIndex)
        elements += other.elements[other.endIndex...]
        problemCount += other.problemCount
    }

    /// Takes away all values for `name`.
    public mutating func removeAll(_ name: String) {
        let name = name.lowercasedASCII
        problemCount -= elements[endIndex...].count { $0.name == name }
        elements.removeAll { $0.name == name }
    }

    private mutating func append(unchecked value: Content, for name: String) {
        let (name, value) = (name.lowercasedASCII, value.trimmed)
        if let problem = MetadataRules.problem(name, value) {
            elements.append(Element(name: name, value: .text(problem)))
            problemCount += 1
        } else {
            append(Element(name: name, value: value))
        }
    }

    /// Why the metadata cannot be sent, in words.
    package var problem: String? {
        guard problemCount > 0, case .text(let text) = elements[endIndex].value else { return nil }
        return text
    }

    /// Whether there is nothing to send, and nothing to complain of.
    var saysNothing: Bool { elements.isEmpty }

    private mutating func append(_ element: Element) {
        if problemCount == 0 {
            elements.append(element)
        } else {
            elements.insert(element, at: endIndex)
        }
    }

    private mutating func add(_ value: Content, for name: String) throws(RPCError) {
        let (name, value) = (name.lowercasedASCII, value.trimmed)
        if let problem = MetadataRules.problem(name, value) {
            throw .refused(.invalidArgument, problem)
        }
        append(Element(name: name, value: value))
    }

    /// Adds what a peer sent, which is taken as it is.
    package mutating func append(received value: Content, for name: String) {
        append(Element(name: name, value: value))
    }
}

extension Metadata: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { append(value, for: name) }
    }
}

extension Metadata.Content {
    /// Text without the blanks at its ends, which HTTP/2 does not carry (RFC 9113 §8.2.1).
    fileprivate var trimmed: Metadata.Content {
        guard case .text(let text) = self, text.utf8.first == 0x20 || text.utf8.last == 0x20
        else { return self }
        var octets = text.utf8[...]
        while octets.first == 0x20 { octets.removeFirst() }
        while octets.last == 0x20 { octets.removeLast() }
        return .text(String(decoding: octets, as: UTF8.self))
    }
}

extension String {
    /// Only A-Z change: Unicode's rules would turn the Kelvin sign into a `k`, and so an illegal
    /// name into a legal one.
    fileprivate var lowercasedASCII: String {
        guard utf8.contains(where: { (0x41...0x5a).contains($0) }) else { return self }
        return String(
            decoding: utf8.map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}

extension Metadata: CustomStringConvertible {
    /// For logs, and so without the values of what proves who somebody is.
    public var description: String {
        "[" + map(\.description).joined(separator: ", ") + "]"
    }
}
