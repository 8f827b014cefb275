/// An entry of OpenSSL's queue of errors: the part of OpenSSL that failed, the reason as a number, and
/// OpenSSL's text for it. Decisions use the number. Messages show the text.
struct OpenSSLReason: Sendable {
    struct Code: Equatable, Sendable {
        /// ERR_LIB_….
        let library: CUnsignedLong
        /// …_R_….
        let number: CUnsignedLong
    }

    /// Nil if the queue was empty, and for errors of the operating system.
    let code: Code?
    let text: String
    /// Whether the queue was empty.
    let isMissing: Bool

    static let missing = OpenSSLReason(code: nil, text: "no reason given", isMissing: true)

    init(code: Code?, text: String, isMissing: Bool = false) {
        self.code = code
        self.text = text
        self.isMissing = isMissing
    }
}

extension OpenSSLReason.Code {
    /// Unpacks a code: ERR_GET_LIB and ERR_GET_REASON, which are macros and differ between versions.
    init(packed: CUnsignedLong, isVersion3: Bool) {
        library = isVersion3 ? packed >> 23 & 0xff : packed >> 24 & 0xff
        number = isVersion3 ? packed & 0x7f_ffff : packed & 0xfff
    }

    static let noStartLine = Self(
        library: OpenSSL.ERR_LIB_PEM, number: OpenSSL.PEM_R_NO_START_LINE)
}

extension OpenSSLReason: CustomStringConvertible {
    var description: String { text }
}
