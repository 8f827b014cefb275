import Swiftlet

/// The system's OpenSSL, which need not be there.
enum TLSLibrary {
    static let isHere = (try? ChannelCredentials.tls()) != nil
}
