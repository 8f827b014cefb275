import SwiftletMessages
import SwiftletWellKnown

// The messages of envoy.config.core.v3, with the fields that a client of gRPC needs.
extension Envoy.Core {
    /// The client, as the control plane sees it.
    struct Node: DropsUnknownFields {
        enum UserAgentVersionType: Hashable, Sendable {
            case userAgentVersion(String)
        }

        var id = ""
        var cluster = ""
        var metadata: Google.Protobuf.Struct?
        var locality: Envoy.Core.Locality?
        var userAgentName = ""
        var userAgentVersionType: UserAgentVersionType?
        var clientFeatures: [String] = []

        static var messageName: String { "envoy.config.core.v3.Node" }

        static let layout = Layout<Self> { field in
            field.string(1, \.id)
            field.string(2, \.cluster)
            field.message(3, \.metadata)
            field.message(4, \.locality)
            field.string(6, \.userAgentName)
            field.oneof(7, \.userAgentVersionType, .string, UserAgentVersionType.userAgentVersion) {
                if case .userAgentVersion(let it) = $0 { it } else { nil }
            }
            field.string(10, \.clientFeatures)
        }
    }

    /// Where servers are.
    struct Locality: DropsUnknownFields {
        var region = ""
        var zone = ""
        var subZone = ""

        static var messageName: String { "envoy.config.core.v3.Locality" }

        static let layout = Layout<Self> { field in
            field.string(1, \.region)
            field.string(2, \.zone)
            field.string(3, \.subZone)
        }
    }

    /// Values by the name of their reader.
    struct Metadata: DropsUnknownFields {
        var filterMetadata: [String: Google.Protobuf.Struct] = [:]
        var typedFilterMetadata: [String: Google.Protobuf.AnyMessage] = [:]

        static var messageName: String { "envoy.config.core.v3.Metadata" }

        static let layout = Layout<Self> { field in
            field.map(1, \.filterMetadata, .string, .message(Google.Protobuf.Struct.self))
            field.map(2, \.typedFilterMetadata, .string, .message(Google.Protobuf.AnyMessage.self))
        }
    }

    /// The address of a server.
    struct Address: DropsUnknownFields {
        enum Address: Hashable, Sendable {
            case socketAddress(Envoy.Core.SocketAddress)
        }

        var address: Address?

        static var messageName: String { "envoy.config.core.v3.Address" }

        static let layout = Layout<Self> { field in
            field.oneof(
                1, \.address, .message(Envoy.Core.SocketAddress.self), Address.socketAddress
            ) {
                if case .socketAddress(let it) = $0 { it } else { nil }
            }
        }
    }

    /// An IP address or a name, with a port.
    struct SocketAddress: DropsUnknownFields {
        enum PortSpecifier: Hashable, Sendable {
            case portValue(UInt32)
            case namedPort(String)
        }

        var address = ""
        var portSpecifier: PortSpecifier?
        var resolverName = ""

        static var messageName: String { "envoy.config.core.v3.SocketAddress" }

        static let layout = Layout<Self> { field in
            field.string(2, \.address)
            field.oneof(3, \.portSpecifier, .uint32, PortSpecifier.portValue) {
                if case .portValue(let it) = $0 { it } else { nil }
            }
            field.oneof(4, \.portSpecifier, .string, PortSpecifier.namedPort) {
                if case .namedPort(let it) = $0 { it } else { nil }
            }
            field.string(5, \.resolverName)
        }
    }

    /// Where a resource comes from.
    struct ConfigSource: DropsUnknownFields {
        enum ConfigSourceSpecifier: Hashable, Sendable {
            case ads(Envoy.Core.AggregatedConfigSource)
            case selfSource(Envoy.Core.SelfConfigSource)
        }

        var configSourceSpecifier: ConfigSourceSpecifier?

        static var messageName: String { "envoy.config.core.v3.ConfigSource" }

        static let layout = Layout<Self> { field in
            field.oneof(
                3, \.configSourceSpecifier, .message(Envoy.Core.AggregatedConfigSource.self),
                ConfigSourceSpecifier.ads
            ) {
                if case .ads(let it) = $0 { it } else { nil }
            }
            field.oneof(
                5, \.configSourceSpecifier, .message(Envoy.Core.SelfConfigSource.self),
                ConfigSourceSpecifier.selfSource
            ) {
                if case .selfSource(let it) = $0 { it } else { nil }
            }
        }
    }

    /// The stream of all types.
    struct AggregatedConfigSource: DropsUnknownFields {
        static var messageName: String { "envoy.config.core.v3.AggregatedConfigSource" }

        static let layout = Layout<Self> { _ in }
    }

    /// The server that sent the resource.
    struct SelfConfigSource: DropsUnknownFields {
        static var messageName: String { "envoy.config.core.v3.SelfConfigSource" }

        static let layout = Layout<Self> { _ in }
    }

    /// The configuration of an extension.
    struct TypedExtensionConfig: DropsUnknownFields {
        var name = ""
        var typedConfig: Google.Protobuf.AnyMessage?

        static var messageName: String { "envoy.config.core.v3.TypedExtensionConfig" }

        static let layout = Layout<Self> { field in
            field.string(1, \.name)
            field.message(2, \.typedConfig)
        }
    }

    /// How connections are secured.
    struct TransportSocket: DropsUnknownFields {
        enum ConfigType: Hashable, Sendable {
            case typedConfig(Google.Protobuf.AnyMessage)
        }

        var name = ""
        var configType: ConfigType?

        static var messageName: String { "envoy.config.core.v3.TransportSocket" }

        static let layout = Layout<Self> { field in
            field.string(1, \.name)
            field.oneof(
                3, \.configType, .message(Google.Protobuf.AnyMessage.self), ConfigType.typedConfig
            ) {
                if case .typedConfig(let it) = $0 { it } else { nil }
            }
        }
    }

    /// A fraction that Envoy can change at run time.
    struct RuntimeFractionalPercent: DropsUnknownFields {
        var defaultValue: Envoy.Types.FractionalPercent?

        static var messageName: String { "envoy.config.core.v3.RuntimeFractionalPercent" }

        static let layout = Layout<Self> { field in
            field.message(1, \.defaultValue)
        }
    }

    /// Limits of HTTP connections and streams.
    struct HttpProtocolOptions: DropsUnknownFields {
        var idleTimeout: Google.Protobuf.Duration?
        var maxStreamDuration: Google.Protobuf.Duration?

        static var messageName: String { "envoy.config.core.v3.HttpProtocolOptions" }

        static let layout = Layout<Self> { field in
            field.message(1, \.idleTimeout)
            field.message(4, \.maxStreamDuration)
        }
    }

    /// Health states.
    struct HealthStatusSet: DropsUnknownFields {
        var statuses: [Envoy.Core.HealthStatus] = []

        static var messageName: String { "envoy.config.core.v3.HealthStatusSet" }

        static let layout = Layout<Self> { field in
            field.enumeration(1, \.statuses)
        }
    }

    struct HealthStatus: OpenEnum {
        var rawValue: Int32
        init(rawValue: Int32) { self.rawValue = rawValue }

        static let unknown = HealthStatus(rawValue: 0)
        static let healthy = HealthStatus(rawValue: 1)
        static let unhealthy = HealthStatus(rawValue: 2)
        static let draining = HealthStatus(rawValue: 3)
        static let timeout = HealthStatus(rawValue: 4)
        static let degraded = HealthStatus(rawValue: 5)

        var name: String? {
            switch rawValue {
            case 0: "UNKNOWN"
            case 1: "HEALTHY"
            case 2: "UNHEALTHY"
            case 3: "DRAINING"
            case 4: "TIMEOUT"
            case 5: "DEGRADED"
            default: nil
            }
        }
    }
}
