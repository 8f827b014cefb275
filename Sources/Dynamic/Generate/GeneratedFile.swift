/// A Swift source file that a ``SwiftGenerator`` wrote.
public struct GeneratedFile: Hashable, Sendable {
    /// The path relative to the output directory, for example `grpc/health/v1/health.swift`.
    public let path: String

    /// The source, which ends with a newline.
    public let source: String
}
