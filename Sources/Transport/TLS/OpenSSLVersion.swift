/// The version of a library with OpenSSL's functions.
struct OpenSSLVersion {
    /// As the library writes it: "OpenSSL 3.0.19 27 Jan 2026", "BoringSSL".
    let text: String
    private let number: CUnsignedLong

    init(text: String, number: CUnsignedLong) {
        self.text = text
        self.number = number
    }

    /// Asks the library, which need not be started for that. Nil if it has no function that says its version.
    init?(_ symbols: OpenSSLSymbols) {
        typealias Number = @convention(c) () -> CUnsignedLong
        typealias Text = @convention(c) (CInt) -> UnsafePointer<CChar>?
        // The second names are those of versions before 1.1, with the same types. The text is never freed.
        guard
            let numberAddress = unsafe symbols.address(of: "OpenSSL_version_num")
                ?? symbols.address(of: "SSLeay"),
            let textAddress = unsafe symbols.address(of: "OpenSSL_version")
                ?? symbols.address(of: "SSLeay_version"),
            let text = unsafe unsafeBitCast(textAddress, to: Text.self)(0)
        else { return nil }
        self.init(
            text: PeerText.clean(unsafe String(cString: text)),
            number: unsafe unsafeBitCast(numberAddress, to: Number.self)())
    }

    /// BoringSSL, AWS-LC and LibreSSL have functions with OpenSSL's names and other types, numbers and rules.
    var isSupported: Bool {
        text.hasPrefix("OpenSSL ") && !text.containsBytes(of: "AWS-LC")
            && number >= OpenSSL.version111
    }

    var isVersion3: Bool { number >= OpenSSL.version3 }
}
