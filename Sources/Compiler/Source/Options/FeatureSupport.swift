import SwiftletMessages

/// The editions of the files that may set a field or a value of an option.
typealias FeatureSupport = Google.Protobuf.FieldOptions.FeatureSupport

extension FeatureSupport {
    /// Throws if a file of this edition cannot set the field or the value with the name.
    func check(
        _ fullName: String, in edition: Google.Protobuf.Edition
    ) throws(OptionProblem) {
        if let first = editionIntroduced, edition.rawValue < first.rawValue {
            throw OptionProblem("'\(fullName)' exists only from \(first.text) on")
        }
        if let removed = editionRemoved, edition.rawValue >= removed.rawValue {
            let hint = removalError.map { ": \($0)" } ?? ""
            throw OptionProblem("'\(fullName)' was removed in \(removed.text)\(hint)")
        }
    }
}

extension Google.Protobuf.Edition {
    /// For example `edition 2024`.
    fileprivate var text: String {
        "edition " + (name?.dropFirst("EDITION_".count).description ?? "\(rawValue)")
    }
}
