import SwiftletCore

extension ChannelEvent {
    /// The level of its entry in a log.
    var level: LogEntry.Level {
        if isFailure { return .warning }
        return switch kind {
        case .connectivity, .connectionOpened, .connectionClosed: .info
        default: .debug
        }
    }

    /// The name of its kind, without the values.
    var name: String {
        switch kind {
        case .connectivity: "connectivity"
        case .resolved: "resolved"
        case .resolutionFailed: "resolutionFailed"
        case .serviceConfigRejected: "serviceConfigRejected"
        case .balancing: "balancing"
        case .subchannelCreated: "subchannelCreated"
        case .subchannel: "subchannel"
        case .subchannelDropped: "subchannelDropped"
        case .connectionOpened: "connectionOpened"
        case .connectionClosed: "connectionClosed"
        case .healthCheckUnsupported: "healthCheckUnsupported"
        case .loadReportsUnsupported: "loadReportsUnsupported"
        case .encryptionIgnored: "encryptionIgnored"
        @unknown default: "other"
        }
    }

    /// The values of its kind.
    var fields: [TraceAttribute] {
        func text(_ key: String, _ value: String) -> TraceAttribute {
            TraceAttribute(key, .text(value))
        }
        func subchannel(_ id: UInt64) -> TraceAttribute {
            TraceAttribute("subchannel", .number(Int(clamping: id)))
        }
        return switch kind {
        case .connectivity(let state): [text("state", state.protocolName)]
        case .resolved(let count): [TraceAttribute("endpoints", .number(count))]
        case .resolutionFailed(let error), .serviceConfigRejected(let error):
            [text("error", "\(error)")]
        case .balancing(let policy): [text("policy", policy)]
        case .subchannelCreated(let id, let endpoint): [subchannel(id), text("endpoint", endpoint)]
        case .subchannel(let id, let state, let error):
            [subchannel(id), text("state", state.protocolName)]
                + (error.map { [text("error", "\($0)")] } ?? [])
        case .subchannelDropped(let id): [subchannel(id)]
        case .connectionOpened(let id, let peer), .healthCheckUnsupported(let id, let peer),
            .loadReportsUnsupported(let id, let peer):
            [subchannel(id), text("network.peer.address", peer)]
        case .connectionClosed(let id, let peer, let cause):
            [subchannel(id), text("network.peer.address", peer), text("error", cause)]
        case .encryptionIgnored(let cluster): [text("cluster", cluster)]
        @unknown default: []
        }
    }
}
