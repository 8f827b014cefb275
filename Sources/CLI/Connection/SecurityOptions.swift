import Swiftlet

/// Chooses between TLS and plaintext.
enum SecurityOptions {
    private static let tlsOptions = ["--cacert", "--cert", "--key", "--servername", "--insecure"]

    /// Chooses TLS if an option requests it, and otherwise for every target that is not on this
    /// machine.
    static func credentials(_ target: String, _ arguments: Arguments) throws -> ChannelCredentials {
        let tlsOption = tlsOptions.first { arguments[$0] != nil }
        guard !arguments.has("--plaintext") else {
            if let option = arguments.has("--tls") ? "--tls" : tlsOption {
                throw UsageError(message: "--plaintext and \(option) exclude each other")
            }
            return .insecure
        }
        guard arguments.has("--tls") || tlsOption != nil || !isOnThisMachine(target) else {
            return .insecure
        }
        return try tls(arguments)
    }

    private static func tls(_ arguments: Arguments) throws -> ChannelCredentials {
        var tls = TLSOptions()
        if let authorities = arguments["--cacert"], authorities != "system" {
            tls.rootCertificates = .file(authorities)
        }
        switch (arguments["--cert"], arguments["--key"]) {
        case (nil, nil): break
        case (let certificate?, let key?):
            tls.certificateChain = .file(certificate)
            tls.privateKey = .file(key)
        default: throw UsageError(message: "--cert and --key must be given together")
        }
        tls.targetNameOverride = arguments["--servername"]
        tls.acceptsAnyCertificate = arguments.has("--insecure")
        return try UsageError.whenInvalid { try .tls(tls) }
    }

    /// False for text that is not a target, whose channel reports the mistake.
    static func isOnThisMachine(_ target: String) -> Bool {
        (try? Target(target))?.isLocal ?? false
    }
}
