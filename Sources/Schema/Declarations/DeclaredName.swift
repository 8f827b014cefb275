import SwiftletMessages

/// Names that a peer's message may contain, such as those of members in JSON and of the type of an Any.
///
/// Swift hashes and compares strings by their normal form, which takes time with the square of the length for many
/// combining marks. So a text that cannot be a name is not looked up.
package enum DeclaredName {
    /// The longest name that is looked up if it is not ASCII. Only a `json_name` can be such a name.
    package static let maxByteCount = 4_096

    /// Whether the name can be looked up at a cost that is proportional to its size.
    package static func canBeKey(_ name: String) -> Bool {
        name.utf8.count <= maxByteCount && CombiningMarks.areBounded(in: name)
    }

    /// Whether both names have the same bytes.
    package static func isSame(_ one: String, _ other: String) -> Bool {
        TextBytes.areEqual(one, other)
    }

    /// The part of the URL of an Any after the last slash; nil without a slash. Searched in bytes: a character with
    /// many combining marks is found in a time with the square of their number.
    package static func ofType(url: String) -> String? {
        url.utf8.lastIndex(of: UInt8(ascii: "/")).flatMap { slash in
            String(url.utf8[url.utf8.index(after: slash)...])
        }
    }
}

extension Dictionary where Key == String {
    /// The value of a declaration's name, which is ASCII. Nil for any other text.
    package subscript(declared name: String) -> Value? {
        name.utf8.allSatisfy { $0 < 0x80 } ? self[name] : nil
    }
}
