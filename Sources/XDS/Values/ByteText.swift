import SwiftletCore
import SwiftletTransport

/// Text of a control plane. It is compared and hashed as bytes, in linear time for any text.
struct ByteText: Hashable, Sendable {
    let string: String

    init(_ string: String) { self.string = string }

    static func == (left: ByteText, right: ByteText) -> Bool {
        left.string.hasBytes(of: right.string)
    }

    func hash(into hasher: inout Hasher) {
        var string = string
        // The pointer is used only inside the closure.
        string.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }

    var isEmpty: Bool { string.isEmpty }
}

extension ByteText: Comparable {
    static func < (left: ByteText, right: ByteText) -> Bool {
        left.string.utf8.lexicographicallyPrecedes(right.string.utf8)
    }
}

extension String {
    /// Whether the text is visible ASCII and has at most so many bytes, so that it costs little to compare and hash. True
    /// for an empty text.
    func isVisibleASCII(upTo maxByteCount: Int) -> Bool {
        utf8.count <= maxByteCount && utf8.allSatisfy { 0x21...0x7e ~= $0 }
    }
}

extension ByteText: ExpressibleByStringLiteral {
    init(stringLiteral text: String) { self.init(text) }
}

/// For errors and logs: one line of limited length.
extension ByteText: CustomStringConvertible {
    var description: String { RPCError.shown(string) }
}
