import SwiftletCore

/// The path of a resource and its query, which stay apart while a base path is continued.
struct ResourcePath {
    private var path: String
    /// `name=value` of each item, percent-encoded and joined with `&`; empty for none.
    private var query: String

    /// - Parameter text: A path, and a query after a `?`, percent-encoded.
    init(_ text: String) {
        let parts = text.utf8.split(
            separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        path = String(Substring(parts[0]))
        query = parts.count > 1 ? String(Substring(parts[1])) : ""
    }

    /// This path, continued. The queries of both follow each other, then `items`. Names and values of these are
    /// percent-encoded, and sorted by name, so that equal requests have equal bytes.
    func appending(_ text: String, query items: [String: String]) -> ResourcePath {
        var whole = ResourcePath(text)
        let prefix = path.utf8.last == UInt8(ascii: "/") ? String(path.dropLast()) : path
        let isAbsolute = whole.path.utf8.first == UInt8(ascii: "/")
        whole.path = prefix + (isAbsolute ? "" : "/") + whole.path
        let encoded = items.sorted { $0.key < $1.key }.map { name, value in
            "\(PercentCoding.encode(query: name))=\(PercentCoding.encode(query: value))"
        }
        whole.query = ([query, whole.query] + encoded).filter { !$0.isEmpty }
            .joined(separator: "&")
        return whole
    }

    /// The path and the query as a request has them.
    var text: String { query.isEmpty ? path : "\(path)?\(query)" }
}

extension PercentCoding {
    /// Encodes a name or a value in the query of a URL (RFC 3986 §2.3).
    fileprivate static func encode(query text: String) -> String {
        encode(text) { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                true
            default: false
            }
        }
    }
}
