/// All differences between a Swift message and its `.proto` declaration.
public struct SchemaMismatch: Error, Hashable, Sendable {
    /// The full name of the message in the schema.
    public let message: String

    /// A sentence for each difference, which says what to change. Never empty.
    public let findings: [String]
}

extension SchemaMismatch: CustomStringConvertible {
    public var description: String {
        let lines = findings.map { "\n- \($0)" }.joined()
        return "\(message) differs from its .proto declaration:\(lines)"
    }
}
