import SwiftletTransport

/// A status code of gRPC.
///
/// A struct and not an enum: a server may send an unregistered number, which becomes ``unknown``.
public struct StatusCode: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int

    /// Codes outside 0...16 become ``unknown``, as the specification demands.
    public init(rawValue: Int) {
        self.rawValue = (0...16).contains(rawValue) ? rawValue : 2
    }
}

extension StatusCode {
    /// The call succeeded.
    public static let ok = StatusCode(rawValue: 0)
    /// The call was cancelled, usually by the caller.
    public static let cancelled = StatusCode(rawValue: 1)
    /// An error without a more specific code.
    public static let unknown = StatusCode(rawValue: 2)
    /// The request is invalid, whatever the state of the server.
    public static let invalidArgument = StatusCode(rawValue: 3)
    /// The deadline passed before the call ended.
    public static let deadlineExceeded = StatusCode(rawValue: 4)
    /// A requested entity does not exist.
    public static let notFound = StatusCode(rawValue: 5)
    /// The entity to create exists already.
    public static let alreadyExists = StatusCode(rawValue: 6)
    /// The caller has no permission.
    public static let permissionDenied = StatusCode(rawValue: 7)
    /// A quota, a limit or memory is exhausted.
    public static let resourceExhausted = StatusCode(rawValue: 8)
    /// The server is not in the state that the call requires.
    public static let failedPrecondition = StatusCode(rawValue: 9)
    /// The operation was aborted, usually because of a conflict with another one.
    public static let aborted = StatusCode(rawValue: 10)
    /// The operation is past the valid range.
    public static let outOfRange = StatusCode(rawValue: 11)
    /// The server does not implement the method.
    public static let unimplemented = StatusCode(rawValue: 12)
    /// An invariant is broken.
    public static let `internal` = StatusCode(rawValue: 13)
    /// The service is not available now. A retry may succeed.
    public static let unavailable = StatusCode(rawValue: 14)
    /// Data is lost or corrupted.
    public static let dataLoss = StatusCode(rawValue: 15)
    /// The caller is not authenticated.
    public static let unauthenticated = StatusCode(rawValue: 16)
}

extension StatusCode: CustomStringConvertible {
    /// The names of all codes, by number.
    package static let names = [
        "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND",
        "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
        "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS",
        "UNAUTHENTICATED",
    ]

    /// The name of the code in the specification, such as `NOT_FOUND`.
    public var description: String { Self.names[rawValue] }

    /// Nil for text that is not the name of a code.
    package init?(name: String) {
        guard let code = Self.names.firstIndex(where: { $0.hasBytes(of: name) }) else { return nil }
        self.init(rawValue: code)
    }
}
