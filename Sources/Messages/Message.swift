/// Why octets are not the message that they were taken for.
public enum WireError: Error, Hashable, Sendable {
    case truncated
}
