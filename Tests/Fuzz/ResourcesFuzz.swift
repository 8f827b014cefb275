// fuzz-modules: Transport Core JSONText JSON Balancing Messages WellKnown XDS
// fuzz-with: Tests/XDSTests/VirtualMesh.swift Tests/XDSTests/VirtualTree.swift Tests/XDSTests/WatchedLocks.swift
// fuzz-with: Tests/XDSTests/ResourceSamples.swift
//
// A libFuzzer target for what a control plane sends; `Tests/Fuzz/run` builds it.

import SwiftletCore
import SwiftletMessages
import SwiftletTransport

@testable import SwiftletXDS

/// Gives the bytes to a channel in place of one of its resources, which are valid before and after.
///
/// libFuzzer keeps `bytes` alive for this call, and `count` bounds them.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzResources(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    ResourcesFuzz.run(unsafe Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}

/// The first byte says what the others are: bits 0 and 1 the type, bit 2 whether they are a whole response and not a
/// resource, bits 3 and 4 the features of the server. Bits 5 to 7 are zero if the bytes are given to a channel even if
/// they are not valid, which is slow.
struct ResourcesFuzz {
    private static let features = ["", "\"trusted_xds_server\"", "\"fail_on_data_errors\"", ""]

    private var mesh: VirtualMesh
    /// The resources that replace valid ones.
    private var bad: [ResourceType: Google.Protobuf.AnyMessage] = [:]
    private var nonce = 0

    static func run(_ input: [UInt8]) {
        guard let first = input.first else { return }
        let bytes = Array(input.dropFirst())
        let type = ResourceType.allCases[Int(first & 3)]
        if first & 4 == 0, !isValid(bytes, type), first >> 5 != 0 { return }
        guard var fuzz = try? ResourcesFuzz(features: features[Int(first >> 3 & 3)]) else {
            preconditionFailure("the bootstrap is valid")
        }
        fuzz.begin()
        let good = fuzz.mesh.configuration
        precondition(good != nil, "the valid resources are a configuration")
        if first & 4 != 0 {
            fuzz.receive(bytes)
        } else {
            fuzz.bad[type] = .with {
                $0.typeURL = type.typeURL
                $0.value = bytes
            }
            fuzz.respond(type)
            fuzz.begin()
            // Once more: now nothing is new.
            let (reports, pickers) = (fuzz.mesh.reportCount, fuzz.mesh.tree.reportCount)
            fuzz.respond(type)
            precondition(fuzz.mesh.reportCount == reports, "an equal resource is reported")
            precondition(fuzz.mesh.tree.reportCount == pickers, "an equal resource makes pickers")
        }
        fuzz.use()
        if first >> 3 & 3 != 2 {
            precondition(fuzz.mesh.selector != nil, "the good configuration is lost")
        }
        fuzz.end(good)
    }

    /// Checks a resource alone.
    private static func isValid(_ bytes: [UInt8], _ type: ResourceType) -> Bool {
        let any = Google.Protobuf.AnyMessage.with {
            $0.typeURL = type.typeURL
            $0.value = bytes
        }
        var context = ValidationContext()
        context.certificateProviders = ["p"]
        let checked = CheckedResource(any, of: type, context)
        precondition((checked.resource == nil) == !checked.problem.isEmpty)
        precondition(checked.problem.utf8.count < 16_384)
        let again = CheckedResource(any, of: type, context)
        precondition(again.resource == checked.resource && again.problem == checked.problem)
        return checked.resource != nil
    }

    private init(features: String) throws {
        mesh = try VirtualMesh(
            XDS.Bootstrap(
                json: """
                    {"xds_servers": [{"server_uri": "s0", "channel_creds": [{"type": "insecure"}],
                    "server_features": [\(features)]}],
                    "certificate_providers": {"p": {"plugin_name": "file_watcher",
                    "config": {"ca_certificate_file": "/dev/null"}}}}
                    """), seed: 1)
    }

    /// Answers all requests, as often as there are new ones.
    private mutating func begin() {
        mesh.open(0)
        for _ in 0..<20 {
            let count = mesh.requestCount
            for request in mesh.requests where !request.message.resourceNames.isEmpty {
                respond(request.type)
            }
            answerLookUps()
            if mesh.requestCount == count { return }
            // Each answer is a request. Only new names need another round.
            guard mesh.client.resources.values.contains(where: { $0.value == nil }) else { return }
        }
    }

    private mutating func answerLookUps() {
        guard let address = SocketAddress(host: "10.0.0.9", port: 1) else { return }
        for host in mesh.lookUps { mesh.lookedUp(host, .success([address])) }
    }

    /// Sends all resources of a type that were asked for.
    private mutating func respond(_ type: ResourceType) {
        guard let request = mesh.requests.last(where: { $0.type == type }) else { return }
        var response = Envoy.Discovery.DiscoveryResponse()
        response.typeURL = type.typeURL
        response.versionInfo = "1"
        nonce += 1
        response.nonce = "\(nonce)"
        response.resources = request.message.resourceNames.map { name in
            // With a wrapper, because the bytes may have another name.
            Sample.any(
                Envoy.Discovery.Resource.with {
                    $0.name = name
                    $0.resource =
                        bad[type].flatMap { isFirst(name) ? $0 : nil } ?? Self.good(type, name)
                })
        }
        receive(response.encoded())
    }

    /// Whether the valid resources have the name, and not only resources of the input.
    private func isFirst(_ name: String) -> Bool { ["svc", "r", "c"].contains(name) }

    private mutating func receive(_ bytes: [UInt8]) {
        mesh.receive(bytes, from: 0)
        for request in mesh.requests {
            // The texts that a control plane causes are bounded.
            precondition((request.message.errorDetail?.message.utf8.count ?? 0) < 65_536)
        }
        for case .failed(let text) in mesh.events { precondition(text.utf8.count < 16_384) }
    }

    private static func good(_ type: ResourceType, _ name: String) -> Google.Protobuf.AnyMessage {
        switch type {
        case .listener: return Sample.any(Sample.listener(name, routes: "r"))
        case .routeConfiguration: return Sample.any(Sample.routes(name, [Sample.route(to: "c")]))
        case .cluster: return Sample.any(Sample.cluster(name))
        case .endpoints:
            return Sample.any(
                Sample.endpoints(
                    name, [Sample.locality("z", [Sample.endpoint("10.0.0.1")])]))
        }
    }

    /// Uses what has arrived: calls, connections, the time, and what a program sees of it.
    private mutating func use() {
        begin()
        call()
        for (subchannel, state) in mesh.tree.states where state == .connecting {
            mesh.change(subchannel, to: .ready)
        }
        call()
        for subchannel in mesh.tree.states.keys { mesh.change(subchannel, to: .transientFailure) }
        advance()
        call()
        _ = mesh.client.status(of: "xds:///svc").servers
    }

    /// A moment at a time: an interval may be a millisecond.
    private mutating func advance() {
        for _ in 0..<20 { mesh.advance(by: .milliseconds(1)) }
    }

    private func call() {
        guard let selector = mesh.selector, let configuration = mesh.configuration else { return }
        var metadata = Metadata()
        try? metadata.add("v", for: "k")
        for path in ["/s.S/M", "/p", "/"] {
            _ = selector.explanation(for: path, metadata, authority: "svc", configuration.clusters)
            guard let selection = try? selector.select(for: path, metadata) else { continue }
            let info = PickInfo(
                path: path, metadata: metadata, requestHash: selection.requestHash,
                attributes: selection.rules?.attributes)
            switch mesh.tree.picker.pick(info) {
            case .subchannel(_, let trackers): trackers.callEnded(CallOutcome(code: .ok))
            case .fail(let error): check(error)
            case .drop(let error): check(error)
            case .queue: break
            }
        }
    }

    private func check(_ error: RPCError) {
        precondition(error.code != .internal, "\(error.message)")
        precondition(error.message.utf8.count < 16_384)
    }

    /// The valid resources again, which must be as useful as before, and the end.
    private mutating func end(_ good: MeshConfiguration?) {
        bad = [:]
        // Bytes that are no response end the stream.
        mesh.advance(by: .seconds(3))
        if mesh.client.streams.values.contains(where: { $0.phase == .opening }) { mesh.open(0) }
        for _ in 0..<2 {
            for type in ResourceType.allCases { respond(type) }
            begin()
        }
        precondition(mesh.configuration == good, "the valid resources are not used again")
        mesh.close()
        precondition(mesh.client.resources.isEmpty && mesh.client.streams.isEmpty)
        precondition(mesh.tree.states.isEmpty && mesh.lookUps.isEmpty && mesh.timer == nil)
        precondition(mesh.usedClusters.isEmpty)
    }
}
