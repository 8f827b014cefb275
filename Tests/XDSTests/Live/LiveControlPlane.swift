import Swiftlet
import SwiftletCore
import SwiftletLoopback
import SwiftletMessages
import Synchronization

@testable import SwiftletXDS

/// A control plane on a socket. It sends each client the resources that it asks for, and again when they change.
final class LiveControlPlane: Sendable {
    private struct State {
        var resources: [ResourceType: [String: Google.Protobuf.AnyMessage]] = [:]
        var version = 1
        var streams: [ObjectIdentifier: PlaneStream] = [:]
        var begunStreamCount = 0
    }

    private static let method = Method<[UInt8], [UInt8]>(
        "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources",
        .bidirectional, request: .bytes, reply: .bytes)

    private let state = Mutex(State())
    private let server: LoopbackServer

    /// - Parameter port: Zero for a free one.
    init(port: UInt16 = 0) throws {
        let streams = AsyncStream<PlaneStream>.makeStream()
        server = try LoopbackServer(on: .ipv4(port: port)) { server in
            server.bidirectional(Self.method) { requests, replies, _ in
                let stream = PlaneStream()
                streams.continuation.yield(stream)
                try await stream.run(requests, replies)
            }
        }
        // The server's handlers are made before the rest of this object.
        Task { [weak self] in
            for await stream in streams.stream {
                guard let self else { return }
                state.withLock { state in
                    state.streams[ObjectIdentifier(stream)] = stream
                    state.begunStreamCount += 1
                }
                stream.post(.plane(self))
            }
        }
    }

    var target: String { server.target }

    var bootstrap: XDS.Bootstrap {
        get throws {
            try XDS.Bootstrap(
                json: """
                    {"xds_servers": [{"server_uri": "\(target)", "channel_creds": [{"type": "insecure"}]}],
                     "node": {"id": "n1"}}
                    """)
        }
    }

    /// The number of streams that are open.
    var streamCount: Int { state.withLock { $0.streams.count } }

    /// The number of streams that were opened so far.
    var begunStreamCount: Int { state.withLock { $0.begunStreamCount } }

    /// Changes resources and sends the new ones. A message of nil removes the resource.
    func set(_ type: ResourceType, _ changes: [String: (any Message)?]) {
        let streams = state.withLock { state in
            state.version += 1
            for (name, message) in changes {
                state.resources[type, default: [:]][name] = message.map { Sample.any($0) }
            }
            return Array(state.streams.values)
        }
        for stream in streams { stream.post(.changed(type)) }
    }

    func remove(_ stream: PlaneStream) {
        _ = state.withLock { $0.streams.removeValue(forKey: ObjectIdentifier(stream)) }
    }

    fileprivate func response(
        _ type: ResourceType, _ names: [String], nonce: Int
    ) -> Envoy.Discovery.DiscoveryResponse {
        let (resources, version) = state.withLock { state in
            (names.compactMap { state.resources[type]?[$0] }, state.version)
        }
        return .with {
            $0.typeURL = type.typeURL
            $0.versionInfo = "\(version)"
            $0.nonce = "\(nonce)"
            $0.resources = resources
        }
    }
}

/// The stream of one client.
final class PlaneStream: Sendable {
    enum Event: Sendable {
        case plane(LiveControlPlane)
        case request(Envoy.Discovery.DiscoveryRequest)
        case changed(ResourceType)
    }

    private let events = AsyncStream<Event>.makeStream()

    func post(_ event: Event) { events.continuation.yield(event) }

    func run(_ requests: RequestStream<[UInt8]>, _ replies: ReplyWriter<[UInt8]>) async throws {
        let reader = Task {
            defer { events.continuation.finish() }
            for try await bytes in requests {
                post(.request(try Envoy.Discovery.DiscoveryRequest(decoding: bytes)))
            }
        }
        defer { reader.cancel() }
        var plane: LiveControlPlane?
        defer { plane?.remove(self) }
        var names: [ResourceType: [String]] = [:]
        var count = 0
        for await event in events.stream {
            var due: ResourceType?
            switch event {
            case .plane(let found): plane = found
            case .changed(let type): due = type
            case .request(let request):
                let type = ResourceType.allCases.first { $0.typeURL == request.typeURL }
                guard let type else { continue }
                // Equal names are an answer to the last response.
                if names[type] != request.resourceNames { due = type }
                names[type] = request.resourceNames
            }
            let types = due.map { [$0] } ?? (plane != nil && count == 0 ? Array(names.keys) : [])
            for type in types where names[type]?.isEmpty == false {
                guard let plane else { continue }
                count += 1
                let response = plane.response(type, names[type] ?? [], nonce: count)
                try await replies.write(response.encoded())
            }
        }
    }
}
