import SwiftletMessages

extension XDS.Status {
    /// The `envoy.service.status.v3.ClientStatusResponse` with the same content, for a program that offers CSDS.
    ///
    /// A server of `envoy.service.status.v3.ClientStatusDiscoveryService` sends these bytes as its response.
    public func encoded() -> [UInt8] { message.encoded() }

    var message: Envoy.Status.ClientStatusResponse { .with { $0.config = targets.map(\.message) } }
}

extension XDS.Status.Target {
    fileprivate var message: Envoy.Status.ClientConfig {
        .with {
            $0.node = node
            $0.genericXDSConfigs = resources.map(\.message)
            $0.clientScope = target
        }
    }
}

extension XDS.Status.Resource {
    fileprivate var message: Envoy.Status.ClientConfig.GenericXdsConfig {
        .with { config in
            config.typeURL = "type.googleapis.com/" + type
            config.name = name
            config.versionInfo = version
            config.clientStatus = state.message
            if let lastUpdate {
                config.lastUpdated = .init(sinceEpoch: lastUpdate)
                config.xdsConfig = .with {
                    $0.typeURL = config.typeURL
                    $0.value = bytes
                }
            }
            config.errorState = error.map { error in
                .with {
                    $0.details = error.message
                    $0.versionInfo = error.version
                    $0.lastUpdateAttempt = .init(sinceEpoch: error.time)
                }
            }
        }
    }
}

extension XDS.Status.Resource.State {
    var message: Envoy.Admin.ClientResourceStatus {
        switch self {
        case .requested: .requested
        case .acked: .acked
        case .nacked: .nacked
        case .doesNotExist: .doesNotExist
        case .receivedError: .receivedError
        case .timeout: .timeout
        }
    }
}
