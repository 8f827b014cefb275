import SwiftletMessages
import SwiftletWellKnown

extension UpstreamTLS {
    /// What a transport socket demands. Nil without a violation: nothing.
    static func ofSocket(
        _ socket: Envoy.Core.TransportSocket?, _ context: ValidationContext,
        _ violations: inout Violations
    ) -> (tls: UpstreamTLS?, usesProxies: Bool) {
        guard var socket else { return (nil, false) }
        var usesProxies = false
        let proxy = Envoy.HTTP11Proxy.Http11ProxyUpstreamTransport.self
        if case .typedConfig(let any)? = socket.configType, any.holds(proxy) {
            usesProxies = true
            let outer = violations.decode("typed_config", any.value, as: proxy)
            guard let inner = outer?.transportSocket else { return (nil, true) }
            socket = inner
        }
        let config: Google.Protobuf.AnyMessage? =
            if case .typedConfig(let any)? = socket.configType { any } else { nil }
        let message = violations.unpack(
            "typed_config", config, as: Envoy.TLS.UpstreamTlsContext.self)
        guard let message else { return (nil, usesProxies) }
        let tls = violations.within("typed_config") { UpstreamTLS(message, context, &$0) }
        return (tls, usesProxies)
    }

    private init?(
        _ message: Envoy.TLS.UpstreamTlsContext, _ context: ValidationContext,
        _ violations: inout Violations
    ) {
        sni = ByteText(message.sni)
        if message.sni.utf8.count > 255 {
            violations.add("sni", "has \(message.sni.utf8.count) bytes; the limit is 255")
        }
        sendsHostName = message.autoHostSNI
        checksSentName = message.autoSNISANValidation
        guard let common = message.commonTLSContext else {
            violations.add("common_tls_context", "is required")
            return nil
        }
        let checked = violations.within("common_tls_context") { Common(common, context, &$0) }
        guard let roots = checked.roots else { return nil }
        self.roots = roots
        identity = checked.identity
        names = checked.names
    }
}

/// What is used of a `CommonTlsContext`.
private struct Common {
    private(set) var identity: ByteText?
    private(set) var roots: UpstreamTLS.Roots?
    private(set) var names: [TextMatcher] = []

    init(
        _ message: Envoy.TLS.CommonTlsContext, _ context: ValidationContext,
        _ violations: inout Violations
    ) {
        func provider(_ field: StaticString, _ instance: String) -> ByteText {
            let name = ByteText(instance)
            if context.certificateProviders?.contains(name) == false {
                violations.add(field, "the bootstrap has no certificate provider '\(name)'")
            }
            return name
        }
        if message.tlsParams != nil { violations.add("tls_params", "is not supported") }
        if message.customHandshaker != nil {
            violations.add("custom_handshaker", "is not supported")
        }
        if let instance = message.tlsCertificateProviderInstance {
            identity = provider("tls_certificate_provider_instance", instance.instanceName)
        } else if let instance = message.tlsCertificateCertificateProviderInstance {
            identity = provider(
                "tls_certificate_certificate_provider_instance", instance.instanceName)
        } else {
            // Beside an instance they have no effect (A29).
            if !message.tlsCertificates.isEmpty {
                violations.add("tls_certificates", "is not supported; use a certificate provider")
            }
            if !message.tlsCertificateSDSSecretConfigs.isEmpty {
                violations.add("tls_certificate_sds_secret_configs", "is not supported")
            }
        }
        var validation: Envoy.TLS.CertificateValidationContext?
        var older: String?
        switch message.validationContextType {
        case .validationContext(let direct)?: validation = direct
        case .combinedValidationContext(let combined)?:
            validation = combined.defaultValidationContext
            older = combined.validationContextCertificateProviderInstance?.instanceName
        case .validationContextCertificateProviderInstance(let instance)?:
            older = instance.instanceName
        case .validationContextSDSSecretConfig?:
            violations.add("validation_context_sds_secret_config", "is not supported")
        case nil: break
        }
        if let validation {
            violations.within("validation_context") { violations in
                Self.checkUnsupported(validation, &violations)
                names = violations.each(
                    "match_subject_alt_names", validation.matchSubjectAltNames
                ) { TextMatcher($0, &$1) }
            }
        }
        if let instance = validation?.caCertificateProviderInstance {
            roots = .provider(
                provider("ca_certificate_provider_instance", instance.instanceName))
        } else if let older {
            roots = .provider(
                provider("validation_context_certificate_provider_instance", older))
        } else if validation?.systemRootCerts != nil {
            roots = .system
        } else {
            violations.add(
                "validation_context",
                "needs ca_certificate_provider_instance or system_root_certs")
        }
    }

    private static func checkUnsupported(
        _ message: Envoy.TLS.CertificateValidationContext, _ violations: inout Violations
    ) {
        let unsupported: [(StaticString, Bool)] = [
            ("verify_certificate_hash", !message.verifyCertificateHash.isEmpty),
            ("verify_certificate_spki", !message.verifyCertificateSPKI.isEmpty),
            (
                "require_signed_certificate_timestamp",
                message.requireSignedCertificateTimestamp?.value == true
            ),
            ("crl", message.crl != nil),
            ("custom_validator_config", message.customValidatorConfig != nil),
        ]
        for (field, isSet) in unsupported where isSet {
            violations.add(field, "is not supported")
        }
    }
}
