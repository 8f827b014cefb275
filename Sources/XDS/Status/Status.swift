import SwiftletTransport

extension XDS {
    /// What the program knows of its configuration, target by target, as in gRPC's CSDS (A40).
    ///
    /// ```swift
    /// for target in await XDS.status.targets {
    ///     for resource in target.resources where resource.error != nil { print(resource) }
    /// }
    /// ```
    ///
    /// Names, versions and errors are texts of the control plane, as they were received.
    public struct Status: Sendable {
        /// The targets that channels use, in the order of their texts. A target is there twice if channels use it with
        /// two bootstraps.
        public let targets: [Target]

        /// What is known for the channels of a target.
        public struct Target: Sendable {
            /// The target, as the channels have it: `xds:///payments.prod`.
            public let target: String
            /// The control planes that are asked, in the order of their names.
            public let servers: [Server]
            /// The resources that the target needs, in the order of their types and names.
            public let resources: [Resource]
            let node: Envoy.Core.Node

            /// The name under which the program has introduced itself.
            public var nodeID: String { node.id }
        }

        /// A control plane that is asked for resources.
        public struct Server: Sendable {
            /// Its `server_uri` in the bootstrap.
            public let uri: String
            /// Whether there is a stream to it.
            public let isConnected: Bool
            /// Why it cannot be reached; nil if it can, or if that is not known yet.
            public let error: String?
        }
    }

    /// What is known now of the targets of all channels. A channel that is idle has none.
    public static var status: Status {
        get async {
            var targets: [Status.Target] = []
            for client in MeshClients.all { targets.append(await client.status) }
            return Status(targets: targets.inOrder { ByteText($0.target) < ByteText($1.target) })
        }
    }
}

extension XDS.Status {
    /// A resource that a target needs.
    public struct Resource: Sendable {
        /// The states of CSDS.
        @nonexhaustive
        public enum State: Sendable {
            /// It was asked for, and nothing has arrived.
            case requested
            /// The newest one was accepted.
            case acked
            /// The newest one was refused.
            case nacked
            /// The control plane has none, or has deleted it, or has not sent it in time.
            case doesNotExist
            /// The control plane could not send it.
            case receivedError
            /// The control plane has not sent it within 30 s, and the bootstrap says that this is an error of the
            /// control plane (A88).
            case timeout
        }

        /// Why the newest one is not in use.
        public struct Failure: Sendable {
            /// What is wrong, in one line.
            public let message: String
            /// The version that was not used; empty if there is none.
            public let version: String
            /// When it happened, as the time since the first of January 1970, UTC.
            public let time: Duration
        }

        /// The full name of its message: `envoy.config.cluster.v3.Cluster`.
        public let type: String
        /// Its name.
        public let name: String
        /// How the last exchange about it ended. An older one may be in use in any state.
        public let state: State
        /// The version that is in use; empty if there is none.
        public let version: String
        /// When that version was accepted, as the time since the first of January 1970, UTC; nil if there is none.
        public let lastUpdate: Duration?
        /// The message that is in use, as it was received; empty if there is none.
        ///
        /// The client keeps these bytes for each target that uses the resource, in addition to what it has read.
        public let bytes: [UInt8]
        /// Why the newest one is not in use; nil in the states ``State/requested`` and ``State/acked``.
        public let error: Failure?
    }
}

extension XDS.Status.Resource.State {
    /// As CSDS writes it: `DOES_NOT_EXIST`.
    public var protocolName: String { message.name ?? "UNKNOWN" }
}
