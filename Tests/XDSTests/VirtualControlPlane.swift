import SwiftletCore
import SwiftletMessages
import SwiftletTransport
import TestSupport

@testable import SwiftletXDS

/// A client in virtual time, and what it does.
struct VirtualControlPlane {
    typealias Server = XDS.Bootstrap.Server

    /// The time of day at the beginning, as the time since 1970.
    static let start = Duration.seconds(1_700_000_000)

    private(set) var client: ADSClient
    private(set) var now = MonotonicInstant(nanoseconds: 0)
    let servers: [Server]
    private(set) var requests: [(server: Int, request: Envoy.Discovery.DiscoveryRequest)] = []
    private(set) var events: [(watcher: UInt64, event: WatchEvent)] = []
    private(set) var opened: [Int] = []
    private(set) var closed: [Int] = []
    private(set) var reads: [Int] = []
    private(set) var timer: MonotonicInstant?
    private(set) var counts: [ADSClient.UpdateCounts] = []
    /// Whether the servers read requests. If not, requests wait until ``readRequests()``.
    var readsRequests = true
    /// The servers to which requests wait.
    private var unsent: [Server] = []

    /// - Parameters:
    ///   - features: The features of each server.
    init(
        features: [[String]] = [[]], authorities: String = "",
        _ dataErrors: ADSClient.DataErrors = .keep
    ) throws(RPCError) {
        let list = features.enumerated().map { index, features in
            let names = features.map { "\"\($0)\"" }.joined(separator: ",")
            return """
                {"server_uri": "s\(index)", "channel_creds": [{"type": "insecure"}], "server_features": [\(names)]}
                """
        }
        let bootstrap = try XDS.Bootstrap(
            json: """
                {"xds_servers": [\(list.joined(separator: ","))], "node": {"id": "n1"}\(authorities)}
                """)
        servers = bootstrap.servers
        client = ADSClient(bootstrap, dataErrors: dataErrors, chance: { 0.5 })
    }

    private mutating func run(_ input: (inout ADSClient) -> Void) {
        client.date = Self.start + .nanoseconds(now.nanoseconds)
        input(&client)
        for action in client.takeActions(at: now) {
            switch action {
            case .open(let server): opened.append(index(server))
            case .close(let server): closed.append(index(server))
            case .send(let server, let request):
                requests.append((index(server), request))
                unsent.append(server)
            case .read(let server): reads.append(index(server))
            case .notify(let watcher, let event): events.append((watcher.number, event))
            case .setTimer(let time): timer = time
            case .count(let count): counts.append(count)
            }
        }
        if readsRequests { readRequests() }
    }

    private func index(_ server: Server) -> Int { servers.firstIndex(of: server) ?? -1 }
}

// MARK: - Inputs

extension VirtualControlPlane {
    mutating func watch(_ watcher: UInt64, _ type: ResourceType, _ name: String) {
        let now = now
        guard let name = ResourceName(name, of: type) else { return }
        run { $0.watch(.init(number: watcher), type, name, at: now) }
    }

    mutating func unwatch(_ watcher: UInt64) { run { $0.unwatch(.init(number: watcher)) } }

    mutating func open(_ server: Int = 0) {
        let server = servers[server]
        run { $0.streamOpened(server) }
    }

    /// The servers read the requests that wait.
    mutating func readRequests() {
        while let server = unsent.popLast() { run { $0.requestSent(server) } }
    }

    mutating func end(_ server: Int = 0, _ cause: String = "reset") {
        let (server, now) = (servers[server], now)
        unsent.removeAll { $0 == server }
        run { $0.streamClosed(server, cause, at: now) }
    }

    /// The stream ends, and if it has had a response, the next one ends without. After that, another one begins.
    mutating func fail(_ server: Int = 0, _ cause: String = "refused") {
        repeat {
            end(server, cause)
            guard case .waiting(let time)? = client.streams[servers[server]]?.phase else { return }
            advance(by: now.duration(to: time))
        } while client.streams[servers[server]]?.failure == nil
    }

    mutating func finish(_ server: Int = 0) {
        let server = servers[server]
        run { $0.watchersFinished(server) }
    }

    mutating func receive(_ bytes: [UInt8], from server: Int = 0) {
        let (server, now) = (servers[server], now)
        run { $0.received(bytes, from: server, at: now) }
    }

    mutating func respond(
        _ type: ResourceType, _ version: String, _ messages: [any Message], from server: Int = 0,
        errors: [Envoy.Discovery.ResourceError] = []
    ) {
        func any(_ message: some Message) -> Google.Protobuf.AnyMessage { .init(packing: message) }
        let response = Envoy.Discovery.DiscoveryResponse.with {
            $0.versionInfo = version
            $0.nonce = "n" + version
            $0.typeURL = type.typeURL
            $0.resources = messages.map { any($0) }
            $0.resourceErrors = errors
        }
        receive(response.encoded(), from: server)
    }

    /// Moves the time, and reports it at each moment that the client has asked for.
    mutating func advance(by duration: Duration) {
        let end = now + duration
        while let time = timer, time <= end {
            now = max(now, time)
            timer = nil
            let now = now
            run { $0.timerFired(at: now) }
        }
        now = end
    }
}

// MARK: - What was done

extension VirtualControlPlane {
    /// Each request in a line: the type, the names, the version, the nonce, and whether it rejects.
    func lines(of server: Int = 0) -> [String] {
        requests.filter { $0.server == server }.map { _, request in
            let type =
                ResourceType.allCases.first { $0.typeURL == request.typeURL }?.shortName ?? "?"
            let names = request.resourceNames.joined(separator: ",")
            return "\(type) \(names) v\(request.versionInfo) \(request.responseNonce)"
                + (request.errorDetail == nil ? "" : " rejected")
                + (request.node == nil ? "" : " node")
        }
    }

    /// Each event of a watcher in a word or text.
    func texts(of watcher: UInt64) -> [String] {
        events.filter { $0.watcher == watcher }.map { _, event in
            switch event {
            case .resource: "resource"
            case .failed(let text): "failed: \(text)"
            case .stale(let text): "stale: \(text)"
            case .recovered: "recovered"
            }
        }
    }

    mutating func forget() { (requests, events, opened, closed, reads) = ([], [], [], [], []) }
}
