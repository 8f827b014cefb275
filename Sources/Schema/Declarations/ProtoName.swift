import SwiftletMessages

/// The rules of names in `.proto` files.
///
/// The compiler applies them to source. A schema applies them to descriptors, because a descriptor can come from
/// a server, and can have any bytes as a name. Everything that uses a schema, such as the generator, relies on
/// names that are identifiers of limited length.
package enum ProtoName {
    /// The most bytes in a full name. Every name in a scope repeats the scope's name, so long names would
    /// need memory far above the size of the file.
    static let maxByteCount = 1024

    /// The most parts in the name of a package.
    static let maxPackagePartCount = 100
    static let maxPackageByteCount = 511

    /// Whether `name` is a letter or an underscore, followed by letters, underscores and digits. The message for the
    /// entries of a map can begin with a digit: that of a field `_1` is `1Entry`.
    static func isIdentifier(_ name: some StringProtocol) -> Bool {
        // By bytes, so that a name without a rule costs no more than its length.
        isIdentifier(utf8: name.utf8)
    }

    private static func isIdentifier(utf8 name: some Collection<UInt8>) -> Bool {
        guard let first = name.first,
            first.isLetter || name.suffix(5).elementsEqual("Entry".utf8)
        else { return false }
        return name.allSatisfy { $0.isLetter || $0.isDigit }
    }

    /// Whether `name` is identifiers with dots between them.
    static func isDotted(_ name: some StringProtocol) -> Bool {
        name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .allSatisfy { isIdentifier(utf8: $0) }
    }

    /// The mistake in the full name of a declaration whose parts are identifiers; nil if there is none.
    package static func problem(inFullName name: String) -> String? {
        name.utf8.count <= maxByteCount ? nil : "the full name has more than \(maxByteCount) bytes"
    }

    /// The mistake in the name of a package; nil if there is none.
    package static func problem(inPackage name: String) -> String? {
        let partCount = name.utf8.count { $0 == UInt8(ascii: ".") } + 1
        guard partCount <= maxPackagePartCount, name.utf8.count <= maxPackageByteCount else {
            return """
                the package has more than \(maxPackagePartCount) parts or \
                \(maxPackageByteCount) bytes
                """
        }
        return isDotted(name) ? nil : "the package is not a list of identifiers with dots"
    }

    /// The mistake in the name of a file; nil if there is none. Files are read and written below directories,
    /// so a name that leads out of a directory is a mistake.
    package static func problem(inFileName name: some StringProtocol) -> String? {
        let parts = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let dot = UInt8(ascii: ".")
        guard
            !parts.contains(where: {
                $0.isEmpty || $0.elementsEqual([dot]) || $0.elementsEqual([dot, dot])
            })
        else {
            return """
                the name of the file has a part that is empty, '.' or '..'; use a path relative to \
                the directory of the imports
                """
        }
        return problem(inRegisteredFileName: name)
    }

    /// The mistake in the name by which a server registers a file; nil if there is none. Some servers register
    /// files by absolute paths. A program that writes files below a directory must also check
    /// ``problem(inFileName:)``.
    static func problem(inRegisteredFileName name: some StringProtocol) -> String? {
        let hasControl = name.unicodeScalars.contains {
            $0.properties.generalCategory == .control
        }
        if hasControl { return "the name of the file has a control character; rename the file" }
        guard CombiningMarks.areBounded(in: String(name)) else {
            return """
                the name of the file has more than \(CombiningMarks.maxRun) combining marks in a row; rename the \
                file
                """
        }
        return nil
    }

    /// Whether `name` is a full name after a dot. protobuf.js adds an extension to the fields of the extended
    /// message, with such a name, and its descriptors contain these fields.
    static func isExtensionField(_ name: String?) -> Bool {
        guard let name, name.utf8.first == UInt8(ascii: ".") else { return false }
        return isDotted(name.dropFirst())
    }

    /// A name for an error text, which can have any characters and any length: its first 200 characters,
    /// of which those outside printable ASCII are escaped.
    package static func shown(_ name: some StringProtocol) -> String {
        let start = name.unicodeScalars.prefix(200)
        let text = start.map { scalar in
            " "..."~" ~= scalar ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
        }.joined()
        return start.endIndex < name.unicodeScalars.endIndex ? text + "…" : text
    }
}
