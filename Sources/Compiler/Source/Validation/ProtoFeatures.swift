import SwiftletMessages

extension Google.Protobuf.FeatureSet {
    /// The features of a file of this edition that sets no features.
    static func defaults(of edition: Google.Protobuf.Edition) -> Self {
        .with {
            $0.fieldPresence = edition == .proto3 ? .implicit : .explicit
            $0.enumType = edition == .proto2 ? .closed : .open
            $0.repeatedFieldEncoding = edition == .proto2 ? .expanded : .packed
            $0.utf8Validation = edition == .proto2 ? .unverified : .verify
            $0.messageEncoding = .lengthPrefixed
            $0.jsonFormat = edition == .proto2 ? .legacyBestEffort : .allow
            let is2024 = edition.rawValue >= Google.Protobuf.Edition.edition2024.rawValue
            $0.enforceNamingStyle = is2024 ? .style2024 : .styleLegacy
            $0.defaultSymbolVisibility = is2024 ? .exportTopLevel : .exportAll
        }
    }

    /// The features of a declaration that sets `inner`, and inherits the other features from these.
    func overridden(by inner: Self?) -> Self {
        guard let inner else { return self }
        var merged = self
        if let value = inner.fieldPresence { merged.fieldPresence = value }
        if let value = inner.enumType { merged.enumType = value }
        if let value = inner.repeatedFieldEncoding { merged.repeatedFieldEncoding = value }
        if let value = inner.utf8Validation { merged.utf8Validation = value }
        if let value = inner.messageEncoding { merged.messageEncoding = value }
        if let value = inner.jsonFormat { merged.jsonFormat = value }
        if let value = inner.enforceNamingStyle { merged.enforceNamingStyle = value }
        if let value = inner.defaultSymbolVisibility { merged.defaultSymbolVisibility = value }
        return merged
    }
}
