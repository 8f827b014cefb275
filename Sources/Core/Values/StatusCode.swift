/// The outcome of a call, as gRPC numbers it.
///
/// A struct and not an enum: a server may send a number that is not registered, which counts as
/// ``unknown``.
public struct StatusCode: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int

    /// Codes outside 0...16 become ``unknown``, as the gRPC specification asks of clients.
    public init(rawValue: Int) {
        self.rawValue = (0...16).contains(rawValue) ? rawValue : 2
    }
}

extension StatusCode {
    /// The call succeeded.
    public static let ok = StatusCode(rawValue: 0)
    /// The caller cancelled the call.
    public static let cancelled = StatusCode(rawValue: 1)
    /// An error without a better name.
    public static let unknown = StatusCode(rawValue: 2)
    /// The request is wrong, whatever the state of the system.
    public static let invalidArgument = StatusCode(rawValue: 3)
    /// The deadline passed before the call ended.
    public static let deadlineExceeded = StatusCode(rawValue: 4)
    /// Something that was asked for does not exist.
    public static let notFound = StatusCode(rawValue: 5)
    /// Something that was to be made exists already.
    public static let alreadyExists = StatusCode(rawValue: 6)
    /// The caller may not do this.
    public static let permissionDenied = StatusCode(rawValue: 7)
    /// A quota, a limit or memory is used up.
    public static let resourceExhausted = StatusCode(rawValue: 8)
    /// The system is not in the state that the call needs.
    public static let failedPrecondition = StatusCode(rawValue: 9)
    /// The operation was aborted, as a rule by a conflict with another.
    public static let aborted = StatusCode(rawValue: 10)
    /// Past the valid range.
    public static let outOfRange = StatusCode(rawValue: 11)
    /// The server does not know the method.
    public static let unimplemented = StatusCode(rawValue: 12)
    /// Something that must hold does not.
    public static let `internal` = StatusCode(rawValue: 13)
    /// The service cannot be reached now; trying again may help.
    public static let unavailable = StatusCode(rawValue: 14)
    /// Data is lost for good.
    public static let dataLoss = StatusCode(rawValue: 15)
    /// The caller did not prove who it is.
    public static let unauthenticated = StatusCode(rawValue: 16)
}

extension StatusCode: CustomStringConvertible {
    private static let names = [
        "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND",
        "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
        "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS",
        "UNAUTHENTICATED",
    ]

    /// The name that the specification gives the code: `NOT_FOUND`.
    public var description: String { Self.names[rawValue] }
}
