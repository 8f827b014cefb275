import SwiftletMessages

// The messages of envoy.service.status.v3, envoy.type.matcher.v3, envoy.admin.v3, with the fields that a client of gRPC needs.
extension Envoy.Status {
    /// Asks for the state of a client.
    struct ClientStatusRequest: DropsUnknownFields {
        var nodeMatchers: [Envoy.Matcher.NodeMatcher] = []

        static var messageName: String { "envoy.service.status.v3.ClientStatusRequest" }

        static let layout = Layout<Self> { field in
            field.message(1, \.nodeMatchers)
        }
    }

    /// The state of a client.
    struct ClientStatusResponse: DropsUnknownFields {
        var config: [Envoy.Status.ClientConfig] = []

        static var messageName: String { "envoy.service.status.v3.ClientStatusResponse" }

        static let layout = Layout<Self> { field in
            field.message(1, \.config)
        }
    }

    /// The resources of a target.
    struct ClientConfig: DropsUnknownFields {
        /// A resource and its state.
        struct GenericXdsConfig: DropsUnknownFields {
            var typeURL = ""
            var name = ""
            var versionInfo = ""
            var xdsConfig: Google.Protobuf.AnyMessage?
            var lastUpdated: Google.Protobuf.Timestamp?
            var clientStatus = Envoy.Admin.ClientResourceStatus()
            var errorState: Envoy.Admin.UpdateFailureState?

            static var messageName: String {
                "envoy.service.status.v3.ClientConfig.GenericXdsConfig"
            }

            static let layout = Layout<Self> { field in
                field.string(1, \.typeURL)
                field.string(2, \.name)
                field.string(3, \.versionInfo)
                field.message(4, \.xdsConfig)
                field.message(5, \.lastUpdated)
                field.enumeration(7, \.clientStatus)
                field.message(8, \.errorState)
            }
        }

        var node: Envoy.Core.Node?
        var genericXDSConfigs: [Envoy.Status.ClientConfig.GenericXdsConfig] = []
        var clientScope = ""

        static var messageName: String { "envoy.service.status.v3.ClientConfig" }

        static let layout = Layout<Self> { field in
            field.message(1, \.node)
            field.message(3, \.genericXDSConfigs)
            field.string(4, \.clientScope)
        }
    }
}

extension Envoy.Matcher {
    /// A condition on nodes; not supported by clients.
    struct NodeMatcher: DropsUnknownFields {
        static var messageName: String { "envoy.type.matcher.v3.NodeMatcher" }

        static let layout = Layout<Self> { _ in }
    }
}

extension Envoy.Admin {
    /// Why a resource was rejected.
    struct UpdateFailureState: DropsUnknownFields {
        var failedConfiguration: Google.Protobuf.AnyMessage?
        var lastUpdateAttempt: Google.Protobuf.Timestamp?
        var details = ""
        var versionInfo = ""

        static var messageName: String { "envoy.admin.v3.UpdateFailureState" }

        static let layout = Layout<Self> { field in
            field.message(1, \.failedConfiguration)
            field.message(2, \.lastUpdateAttempt)
            field.string(3, \.details)
            field.string(4, \.versionInfo)
        }
    }

    struct ClientResourceStatus: OpenEnum {
        var rawValue: Int32
        init(rawValue: Int32) { self.rawValue = rawValue }

        static let unknown = ClientResourceStatus(rawValue: 0)
        static let requested = ClientResourceStatus(rawValue: 1)
        static let doesNotExist = ClientResourceStatus(rawValue: 2)
        static let acked = ClientResourceStatus(rawValue: 3)
        static let nacked = ClientResourceStatus(rawValue: 4)
        static let receivedError = ClientResourceStatus(rawValue: 5)
        static let timeout = ClientResourceStatus(rawValue: 6)

        var name: String? {
            switch rawValue {
            case 0: "UNKNOWN"
            case 1: "REQUESTED"
            case 2: "DOES_NOT_EXIST"
            case 3: "ACKED"
            case 4: "NACKED"
            case 5: "RECEIVED_ERROR"
            case 6: "TIMEOUT"
            default: nil
            }
        }
    }
}
