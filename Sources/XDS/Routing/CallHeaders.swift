import SwiftletCore
import SwiftletTransport

/// A call, as routes and hash policies see it.
struct CallHeaders {
    /// The path of the method: `/package.Service/Method`.
    let path: String
    let metadata: Metadata

    /// The values of a header, joined by commas; nil if it is absent. Binary headers count as absent.
    ///
    /// - Parameter name: In lower case.
    func value(of name: ByteText) -> [UInt8]? {
        let name = name.string
        if name.hasBytes(of: ":path") { return Array(path.utf8) }
        if name.hasBytes(of: "content-type") { return Array("application/grpc".utf8) }
        if name.utf8.suffix(4).elementsEqual("-bin".utf8) { return nil }
        var joined: [UInt8]?
        for element in metadata where element.name.hasBytes(of: name) {
            guard case .text(let text) = element.value else { continue }
            joined = joined.map { $0 + [UInt8(ascii: ",")] + text.utf8 } ?? Array(text.utf8)
        }
        return joined
    }
}
