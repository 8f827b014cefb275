public import SwiftletMessages

// The versions of the language in google/protobuf/descriptor.proto.
extension Google.Protobuf {
    /// A version of the language.
    public struct Edition: OpenEnum {
        public var rawValue: Int32

        public init(rawValue: Int32) { self.rawValue = rawValue }

        public static let unknown = Edition(rawValue: 0)
        public static let legacy = Edition(rawValue: 900)
        public static let proto2 = Edition(rawValue: 998)
        public static let proto3 = Edition(rawValue: 999)
        public static let edition2023 = Edition(rawValue: 1000)
        public static let edition2024 = Edition(rawValue: 1001)
        public static let edition2026 = Edition(rawValue: 1002)
        public static let unstable = Edition(rawValue: 9999)
        public static let edition1TestOnly = Edition(rawValue: 1)
        public static let edition2TestOnly = Edition(rawValue: 2)
        public static let edition99997TestOnly = Edition(rawValue: 99997)
        public static let edition99998TestOnly = Edition(rawValue: 99998)
        public static let edition99999TestOnly = Edition(rawValue: 99999)
        public static let max = Edition(rawValue: 0x7fff_ffff)

        public var name: String? {
            switch self {
            case .unknown: "EDITION_UNKNOWN"
            case .legacy: "EDITION_LEGACY"
            case .proto2: "EDITION_PROTO2"
            case .proto3: "EDITION_PROTO3"
            case .edition2023: "EDITION_2023"
            case .edition2024: "EDITION_2024"
            case .edition2026: "EDITION_2026"
            case .unstable: "EDITION_UNSTABLE"
            case .edition1TestOnly: "EDITION_1_TEST_ONLY"
            case .edition2TestOnly: "EDITION_2_TEST_ONLY"
            case .edition99997TestOnly: "EDITION_99997_TEST_ONLY"
            case .edition99998TestOnly: "EDITION_99998_TEST_ONLY"
            case .edition99999TestOnly: "EDITION_99999_TEST_ONLY"
            case .max: "EDITION_MAX"
            default: nil
            }
        }
    }

    /// Whether other files may use a declaration.
    public struct SymbolVisibility: OpenEnum {
        public var rawValue: Int32

        public init(rawValue: Int32) { self.rawValue = rawValue }

        public static let unset = SymbolVisibility(rawValue: 0)
        public static let local = SymbolVisibility(rawValue: 1)
        public static let export = SymbolVisibility(rawValue: 2)

        public var name: String? {
            switch self {
            case .unset: "VISIBILITY_UNSET"
            case .local: "VISIBILITY_LOCAL"
            case .export: "VISIBILITY_EXPORT"
            default: nil
            }
        }
    }
}
