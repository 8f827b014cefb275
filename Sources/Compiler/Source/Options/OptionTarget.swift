import SwiftletMessages

/// A kind of declarations, as the `targets` of an option name it.
typealias OptionTarget = Google.Protobuf.FieldOptions.OptionTargetType

extension OptionTarget {
    /// For example `enum entry`. Empty for a number that has no name.
    fileprivate var text: String {
        let words = (name ?? "").dropFirst("TARGET_TYPE_".count).lowercased()
        return String(words.map { $0 == "_" ? " " : $0 })
    }
}

extension LinkedField {
    /// Whether the field has no presence, and the value is its default.
    func isUnset(by value: EncodedOption) -> Bool { isImplicit && value.isZero }

    /// Throws if this field is an option, or a field in the value of an option, that is not for this kind of
    /// declarations or not for this edition.
    ///
    /// - Parameters:
    ///   - value: The value of the field. A field without presence is not set by its default.
    ///   - target: The kind of the declaration that has the option; nil if the targets do not matter.
    ///   - edition: The edition of the file that has the option; nil if it does not matter.
    func check(
        _ value: EncodedOption, for target: OptionTarget?, in edition: Google.Protobuf.Edition?
    ) throws(OptionProblem) {
        guard !isUnset(by: value) else { return }
        try check(for: target, in: edition)
        if let edition, let enumeration, case .varint(let number) = value {
            try enumeration.check(Int32(truncatingIfNeeded: number), in: edition)
        }
    }

    /// Throws if this field, which has a value, is not for this kind of declarations or not for this edition.
    func check(
        for target: OptionTarget?, in edition: Google.Protobuf.Edition?
    ) throws(OptionProblem) {
        if let edition { try featureSupport?.check(fullName, in: edition) }
        guard let target, !targets.isEmpty, !targets.contains(target) else { return }
        let text = target.text
        let article = text.hasPrefix("e") || text.hasPrefix("o") ? "an" : "a"
        throw OptionProblem(
            "the option '\(fullName)' cannot be set on \(article) \(text) (its targets: "
                + targets.map(\.text).inOrder().joined(separator: ", ") + ")")
    }
}
