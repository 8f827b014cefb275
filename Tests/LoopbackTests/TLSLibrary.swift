import Swiftlet

/// The system's OpenSSL, which may be missing.
enum TLSLibrary {
    static let isHere = (try? ChannelCredentials.tls()) != nil
}
