import SwiftletMessages

// The names of fields in JSON.
extension FileValidator {
    func validateJSONNames(of message: Message, at path: ProtoPath) {
        guard message.options?.deprecatedLegacyJsonFieldConflicts != true else { return }
        // Field masks use the default names even if other names are declared.
        validateJSONNames(of: message, at: path, withDeclared: false)
        validateJSONNames(of: message, at: path, withDeclared: true)
    }

    private func validateJSONNames(
        of message: Message, at path: ProtoPath, withDeclared: Bool
    ) {
        let isLegacy = declared.messages[path]?.features.jsonFormat == .legacyBestEffort
        var seen: [String: (field: String, isDeclared: Bool)] = [:]
        for (index, field) in message.field.enumerated() {
            let standard = JSONName.ofField(field.name ?? "")
            let isDeclared = withDeclared && field.jsonName != standard
            let name = isDeclared ? field.jsonName ?? "" : standard
            let place = path + [PathNumber.Message.field, Int32(index), PathNumber.name]
            if isDeclared, !DeclaredName.canBeKey(name) {
                file.fail(
                    """
                    the JSON name has more than \(DeclaredName.maxByteCount) bytes or \
                    \(CombiningMarks.maxRun) combining marks in a row
                    """, at: place)
                continue
            }
            if isDeclared, name.utf8.first == UInt8(ascii: "["),
                name.utf8.last == UInt8(ascii: "]")
            {
                file.fail("the JSON name '\(name)' looks like that of an extension", at: place)
                continue
            }
            if isDeclared, name.utf8.contains(0) {
                file.fail("a JSON name cannot contain NUL", at: place)
            }
            guard let other = seen[name] else {
                seen[name] = (field.name ?? "", isDeclared)
                continue
            }
            // The first pass has already compared pairs of default names.
            let isKnown = withDeclared && !isDeclared && !other.isDeclared
            let isTolerated = isLegacy && !(isDeclared && other.isDeclared)
            guard !isKnown, !isTolerated else { continue }
            file.fail(
                "'\(other.field)' and '\(field.name ?? "")' have the same JSON name '\(name)'",
                at: place)
        }
    }
}
