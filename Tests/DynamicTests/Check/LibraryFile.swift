import SwiftletMessages

/// The messages of one `.proto` file that are in the library.
struct LibraryFile: Sendable {
    let name: String
    let package: String
    /// The types, by their full names without the package.
    let types: [String: any Message.Type]
    /// Names of messages for which the library has no type.
    var absent: Set<String> = []
    /// The expected findings of a message, by its full name without the package. A message that is not listed
    /// must have none.
    var findings: [String: [String]] = [:]

    static let all =
        examples + standardServices + wellKnown + statuses + descriptors + channelz + loadReports
}

/// One message of the library with its full name.
struct LibraryMessage: Sendable, CustomStringConvertible {
    let fullName: String
    let type: any Message.Type
    /// All differences from the declaration, as the check describes them.
    let findings: [String]

    var description: String { fullName }

    static let all = LibraryFile.all.flatMap { file in
        file.types.sorted { $0.key < $1.key }.map { name, type in
            LibraryMessage(
                fullName: "\(file.package).\(name)", type: type,
                findings: file.findings[name] ?? [])
        }
    }
}
