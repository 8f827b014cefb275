public import SwiftletCore

/// A library of TLS that the program brings, for a system without OpenSSL.
///
/// ```swift
/// let credentials = try ChannelCredentials.tls(options, engine: MyEngine())
/// let channel = try Channel("example.com:443", credentials: credentials)
/// ```
///
/// The sessions that an engine makes are clients of TLS 1.2 or 1.3. They offer the
/// ``SecurityContext/applicationProtocols``, and send and check the name of ``SecurityContext/side``. The library
/// checks the rest: the chosen protocol, the time limit, and the program's own `TLSOptions.verification`. A
/// connection that ends without ``SecuritySession/isEnded`` is reported as truncated.
public protocol TLSEngine: Sendable {
    /// Reads the certificates and keys that the connections share. Called when the credentials are made and for
    /// each reload; its result makes one session for each connection.
    ///
    /// The result follows these options, and throws an error for one that it cannot follow:
    /// `rootCertificates`, `certificateChain`, `privateKey`, `verifiesCertificates`, `allowsResumption` and `keyLogFile`. The
    /// library handles the other options.
    func makeContext(_ options: TLSOptions) throws -> any ChannelSecurity
}
