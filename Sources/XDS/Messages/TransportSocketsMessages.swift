import SwiftletMessages
import SwiftletWellKnown

// Messages of the Envoy API, with the fields that a client of gRPC needs.
extension Envoy.TLS {
    /// TLS towards servers.
    struct UpstreamTlsContext: DropsUnknownFields {
        var commonTLSContext: Envoy.TLS.CommonTlsContext?
        var sni = ""
        var autoHostSNI = false
        var autoSNISANValidation = false

        static var messageName: String {
            "envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext"
        }

        static let layout = Layout<Self> { field in
            field.message(1, \.commonTLSContext)
            field.string(2, \.sni)
            field.bool(6, \.autoHostSNI)
            field.bool(7, \.autoSNISANValidation)
        }
    }

    /// TLS of clients and servers.
    struct CommonTlsContext: DropsUnknownFields {
        /// The older form of a certificate provider.
        struct CertificateProviderInstance: DropsUnknownFields {
            var instanceName = ""
            var certificateName = ""

            static var messageName: String {
                "envoy.extensions.transport_sockets.tls.v3.CommonTlsContext.CertificateProviderInstance"
            }

            static let layout = Layout<Self> { field in
                field.string(1, \.instanceName)
                field.string(2, \.certificateName)
            }
        }

        /// How certificates are checked, from two sources.
        struct CombinedCertificateValidationContext: DropsUnknownFields {
            var defaultValidationContext: Envoy.TLS.CertificateValidationContext?
            var validationContextCertificateProviderInstance:
                Envoy.TLS.CommonTlsContext.CertificateProviderInstance?

            static var messageName: String {
                "envoy.extensions.transport_sockets.tls.v3.CommonTlsContext.CombinedCertificateValidationContext"
            }

            static let layout = Layout<Self> { field in
                field.message(1, \.defaultValidationContext)
                field.message(4, \.validationContextCertificateProviderInstance)
            }
        }

        enum ValidationContextType: Hashable, Sendable {
            case validationContext(Envoy.TLS.CertificateValidationContext)
            case validationContextSDSSecretConfig(Envoy.TLS.SdsSecretConfig)
            case combinedValidationContext(
                Envoy.TLS.CommonTlsContext.CombinedCertificateValidationContext)
            case validationContextCertificateProviderInstance(
                Envoy.TLS.CommonTlsContext.CertificateProviderInstance)
        }

        var tlsParams: Envoy.TLS.TlsParameters?
        var tlsCertificates: [Envoy.TLS.TlsCertificate] = []
        var validationContextType: ValidationContextType?
        var tlsCertificateSDSSecretConfigs: [Envoy.TLS.SdsSecretConfig] = []
        var tlsCertificateCertificateProviderInstance:
            Envoy.TLS.CommonTlsContext.CertificateProviderInstance?
        var customHandshaker: Envoy.Core.TypedExtensionConfig?
        var tlsCertificateProviderInstance: Envoy.TLS.CertificateProviderPluginInstance?

        static var messageName: String {
            "envoy.extensions.transport_sockets.tls.v3.CommonTlsContext"
        }

        static let layout = Layout<Self> { field in
            field.message(1, \.tlsParams)
            field.message(2, \.tlsCertificates)
            field.oneof(
                3, \.validationContextType, .message(Envoy.TLS.CertificateValidationContext.self),
                ValidationContextType.validationContext
            ) {
                if case .validationContext(let it) = $0 { it } else { nil }
            }
            field.message(6, \.tlsCertificateSDSSecretConfigs)
            field.oneof(
                7, \.validationContextType, .message(Envoy.TLS.SdsSecretConfig.self),
                ValidationContextType.validationContextSDSSecretConfig
            ) {
                if case .validationContextSDSSecretConfig(let it) = $0 { it } else { nil }
            }
            field.oneof(
                8, \.validationContextType,
                .message(Envoy.TLS.CommonTlsContext.CombinedCertificateValidationContext.self),
                ValidationContextType.combinedValidationContext
            ) {
                if case .combinedValidationContext(let it) = $0 { it } else { nil }
            }
            field.message(11, \.tlsCertificateCertificateProviderInstance)
            field.oneof(
                12, \.validationContextType,
                .message(Envoy.TLS.CommonTlsContext.CertificateProviderInstance.self),
                ValidationContextType.validationContextCertificateProviderInstance
            ) {
                if case .validationContextCertificateProviderInstance(let it) = $0 {
                    it
                } else {
                    nil
                }
            }
            field.message(13, \.customHandshaker)
            field.message(14, \.tlsCertificateProviderInstance)
        }
    }

    /// A certificate provider of the bootstrap.
    struct CertificateProviderPluginInstance: DropsUnknownFields {
        var instanceName = ""
        var certificateName = ""

        static var messageName: String {
            "envoy.extensions.transport_sockets.tls.v3.CertificateProviderPluginInstance"
        }

        static let layout = Layout<Self> { field in
            field.string(1, \.instanceName)
            field.string(2, \.certificateName)
        }
    }

    /// How certificates are checked.
    struct CertificateValidationContext: DropsUnknownFields {
        /// The roots that the system trusts.
        struct SystemRootCerts: DropsUnknownFields {
            static var messageName: String {
                "envoy.extensions.transport_sockets.tls.v3.CertificateValidationContext.SystemRootCerts"
            }

            static let layout = Layout<Self> { _ in }
        }

        var verifyCertificateHash: [String] = []
        var verifyCertificateSPKI: [String] = []
        var requireSignedCertificateTimestamp: Google.Protobuf.BoolValue?
        var crl: Envoy.Core.DataSource?
        var matchSubjectAltNames: [Envoy.Matcher.StringMatcher] = []
        var customValidatorConfig: Envoy.Core.TypedExtensionConfig?
        var caCertificateProviderInstance: Envoy.TLS.CertificateProviderPluginInstance?
        var systemRootCerts: Envoy.TLS.CertificateValidationContext.SystemRootCerts?

        static var messageName: String {
            "envoy.extensions.transport_sockets.tls.v3.CertificateValidationContext"
        }

        static let layout = Layout<Self> { field in
            field.string(2, \.verifyCertificateHash)
            field.string(3, \.verifyCertificateSPKI)
            field.message(6, \.requireSignedCertificateTimestamp)
            field.message(7, \.crl)
            field.message(9, \.matchSubjectAltNames)
            field.message(12, \.customValidatorConfig)
            field.message(13, \.caCertificateProviderInstance)
            field.message(17, \.systemRootCerts)
        }
    }

    /// Versions and ciphers; not supported by clients.
    struct TlsParameters: DropsUnknownFields {
        static var messageName: String { "envoy.extensions.transport_sockets.tls.v3.TlsParameters" }

        static let layout = Layout<Self> { _ in }
    }

    /// A certificate in the resource; not supported by clients.
    struct TlsCertificate: DropsUnknownFields {
        static var messageName: String {
            "envoy.extensions.transport_sockets.tls.v3.TlsCertificate"
        }

        static let layout = Layout<Self> { _ in }
    }

    /// A certificate in another resource; not supported by clients.
    struct SdsSecretConfig: DropsUnknownFields {
        static var messageName: String {
            "envoy.extensions.transport_sockets.tls.v3.SdsSecretConfig"
        }

        static let layout = Layout<Self> { _ in }
    }
}

extension Envoy.Core {
    /// A file or bytes.
    struct DataSource: DropsUnknownFields {
        static var messageName: String { "envoy.config.core.v3.DataSource" }

        static let layout = Layout<Self> { _ in }
    }
}

extension Envoy.HTTP11Proxy {
    /// HTTP CONNECT in front of a transport socket.
    struct Http11ProxyUpstreamTransport: DropsUnknownFields {
        var transportSocket: Envoy.Core.TransportSocket?

        static var messageName: String {
            "envoy.extensions.transport_sockets.http_11_proxy.v3.Http11ProxyUpstreamTransport"
        }

        static let layout = Layout<Self> { field in
            field.message(1, \.transportSocket)
        }
    }
}

extension Envoy.Upstreams {
    /// Limits of the connections to servers.
    struct HttpProtocolOptions: DropsUnknownFields {
        var commonHTTPProtocolOptions: Envoy.Core.HttpProtocolOptions?

        static var messageName: String { "envoy.extensions.upstreams.http.v3.HttpProtocolOptions" }

        static let layout = Layout<Self> { field in
            field.message(1, \.commonHTTPProtocolOptions)
        }
    }
}
