public import SwiftletCore
import SwiftletTransport

extension ChannelCredentials {
    /// Connections that the program secures itself. They are treated as secure: call credentials
    /// are sent on them.
    ///
    /// - Parameters:
    ///   - security: Makes a session for each connection.
    ///   - targetNameOverride: The name that the server must prove; also the `:authority` of requests, unless
    ///     `ChannelArguments.defaultAuthority` is set. The default is the name of the target.
    public static func own(
        _ security: any ChannelSecurity, targetNameOverride: String? = nil
    ) -> ChannelCredentials {
        ChannelCredentials(
            provider: ProgramSecurity(security), targetNameOverride: targetNameOverride)
    }

    /// TLS by a library that the program brings, instead of OpenSSL.
    ///
    /// Throws INVALID_ARGUMENT when the engine refuses the options, such as a certificate that cannot be read, and when
    /// the options have `pinnedKeys`. So does a later reload.
    ///
    /// - Parameters:
    ///   - options: Whom to trust, and the client's identity. Only OpenSSL checks `pinnedKeys`.
    ///   - engine: The program's library of TLS.
    public static func tls(
        _ options: TLSOptions = TLSOptions(), engine: any TLSEngine
    ) throws(RPCError) -> ChannelCredentials {
        try tls(options) { options throws(TLSError) in
            guard options.pinnedKeys.isEmpty else {
                throw TLSError(
                    .configuration,
                    "pinnedKeys are checked by OpenSSL only; with an engine of the program, use verification"
                )
            }
            HeldLocks.assertNone(calling: "TLS engine")
            do {
                return ProgramSecurity(try engine.makeContext(options), options)
            } catch {
                throw TLSError(.configuration, ProgramSecurity.text(error))
            }
        }
    }
}
