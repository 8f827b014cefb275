import SwiftletTransport

extension ADSClient {
    /// What is known of the resources.
    ///
    /// - Parameter target: The target whose client this is.
    func status(of target: String) -> XDS.Status.Target {
        XDS.Status.Target(
            target: target,
            servers: streams.map { server, stream in
                XDS.Status.Server(
                    uri: server.target, isConnected: stream.phase == .open, error: stream.failure)
            }.inOrder { ByteText($0.uri) < ByteText($1.uri) },
            resources: ResourceType.allCases.flatMap { type in
                resources.filter { $0.key.type == type }
                    .inOrder { $0.key.name.text < $1.key.name.text }
                    .map { XDS.Status.Resource($0.key, $0.value) }
            },
            node: bootstrap.node.message)
    }
}

extension XDS.Status.Resource {
    fileprivate init(_ key: ResourceKey, _ resource: WatchedResource) {
        type = key.type.messageName
        name = key.name.text.string
        state = State(resource.state)
        version = resource.origin?.version ?? ""
        lastUpdate = resource.origin?.time
        bytes = resource.origin?.bytes ?? []
        error = resource.failure.map {
            Failure(message: $0.reason, version: $0.version, time: $0.time)
        }
    }
}

extension XDS.Status.Resource.State {
    fileprivate init(_ state: WatchedResource.State) {
        self =
            switch state {
            case .requested: .requested
            case .received: .acked
            case .absent: .doesNotExist
            case .rejected: .nacked
            case .failed: .receivedError
            case .timedOut: .timeout
            }
    }
}
