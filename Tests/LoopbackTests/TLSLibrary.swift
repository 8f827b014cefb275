import Swiftlet

extension TLSLibrary {
    /// Whether there is an OpenSSL. The tests of TLS are skipped without one.
    static let isHere = (try? name()) != nil
}
