import SwiftletCore
import SwiftletTransport
import Synchronization

/// The channels to control planes. Equal servers share one, as long as a client uses it.
enum ControlPlaneChannels {
    private static let table = WeakTable<XDS.Bootstrap.Server, Channel>()
    private static let madeQueue = Mutex<CompletionQueue?>(nil)

    /// The queue of all clients of control planes, with a thread of its own: to read a large response takes seconds,
    /// in which other channels go on. It exists until the program ends, and is made on first use, which can fail as for
    /// ``CompletionQueue/shared``.
    static var queue: CompletionQueue {
        get throws(RPCError) {
            if let queue = madeQueue.withLock({ $0 }) { return queue }
            let made = try CompletionQueue()
            let queue = madeQueue.withLock { queue in
                if queue == nil { queue = made }
                return queue ?? made
            }
            if queue !== made { made.shutdown() }
            return queue
        }
    }

    /// Throws if the server's target or its certificates cannot be used.
    static func channel(to server: XDS.Bootstrap.Server) throws(RPCError) -> Channel {
        try table.object(for: server) { () throws(RPCError) in
            try Channel(
                server.target, credentials: try server.credentials.channelCredentials(),
                arguments: arguments, queue: try queue)
        }
    }

    private static var arguments: ChannelArguments {
        var arguments = ChannelArguments()
        // The peers' interval. A stream to a control plane can be silent for hours.
        arguments.keepAliveInterval = .seconds(300)
        arguments.maxReceiveMessageByteCount = maxResponseByteCount
        return arguments
    }

    /// The largest response. A control plane sends all listeners, or all clusters, in one.
    private static let maxResponseByteCount = 64 << 20
}

extension XDS.Bootstrap.Credentials {
    fileprivate func channelCredentials() throws(RPCError) -> ChannelCredentials {
        switch self {
        case .insecure: return .insecure
        case .tls(let files):
            var options = TLSOptions()
            options.rootCertificates = files.authorityFile.map { .file($0) }
            options.certificateChain = (files.identity?.certificateFile).map { .file($0) }
            options.privateKey = (files.identity?.keyFile).map { .file($0) }
            options.reloadInterval = files.refreshInterval
            return try .tls(options)
        }
    }
}

/// Call credentials that send the token in a file, which is read for each stream (A97).
struct TokenFile: CallCredentials {
    let path: String

    func metadata(for call: CallDescription) async throws(RPCError) -> Metadata {
        let bytes = try TextFile.contents(of: path).utf8.split(
            separator: UInt8(ascii: "\n"), maxSplits: 1
        )
        var metadata = Metadata()
        try metadata.add("Bearer \(Substring(bytes.first ?? ""[...].utf8))", for: "authorization")
        return metadata
    }
}
