import SwiftletCore
import SwiftletMessages
import SwiftletTransport

// What happens on the streams.
extension ADSClient {
    /// The stream is open: requests can be sent.
    mutating func streamOpened(_ server: Server) {
        guard streams[server]?.phase == .opening else { return }
        streams[server]?.opened()
    }

    /// A request was sent, and there is room for the next one.
    mutating func requestSent(_ server: Server) {
        guard streams[server]?.phase == .open else { return }
        streams[server]?.requestSent()
    }

    /// The stream has ended, or could not be opened.
    ///
    /// - Parameter cause: Why, in a sentence for calls that fail because of it.
    mutating func streamClosed(_ server: Server, _ cause: String, at now: MonotonicInstant) {
        guard let phase = streams[server]?.phase, phase == .opening || phase == .open else {
            return
        }
        guard streams[server]?.closed(at: now) == true else { return }
        connectionFailed(server, cause)
    }

    /// A stream has ended without a response that can be read.
    private mutating func connectionFailed(_ server: Server, _ cause: String) {
        streams[server]?.failure = "the control plane \(server.target) cannot be reached: \(cause)"
        serverFailed(server)
    }

    /// All watchers have handled the last response of the server.
    mutating func watchersFinished(_ server: Server) {
        streams[server]?.isBusy = false
    }

    mutating func timerFired(at now: MonotonicInstant) {
        timerEnded()
        for server in Array(streams.keys) {
            let chance = nextChance()
            if streams[server]?.retry(at: now, chance: chance) == true {
                append(.open(server))
            }
            for key in streams[server]?.takeOverdue(at: now) ?? [] { timedOut(key, server) }
        }
    }

    /// A resource has not arrived in time (A57, A88).
    private mutating func timedOut(_ key: ResourceKey, _ server: Server) {
        guard resources[key]?.isAwaited == true else { return }
        heard(of: key)
        if server.features.contains(.timerIsTransientError) {
            let reason = "the control plane \(server.target) has not sent it within 30 s"
            fail(key, reason, state: .timedOut, keepsValue: true)
        } else {
            fail(key, "does not exist", state: .absent, keepsValue: false)
        }
    }
}

// MARK: - Responses

extension ADSClient {
    /// The server has sent a response.
    mutating func received(_ bytes: [UInt8], from server: Server, at now: MonotonicInstant) {
        guard streams[server]?.phase == .open else { return }
        streams[server]?.isReadDue = true
        do throws(WireError) {
            let response = try Envoy.Discovery.DiscoveryResponse(decoding: bytes)
            guard
                let type = ResourceType.allCases.first(where: {
                    $0.typeURL.hasBytes(of: response.typeURL)
                })
            else {
                // Of a type that was not asked for: neither accepted nor rejected.
                return
            }
            receive(response, of: type, from: server, at: now)
        } catch {
            // Without its nonce, it cannot be rejected: the stream begins again.
            _ = streams[server]?.closed(at: now)
            append(.close(server))
            connectionFailed(server, "it has sent a response that cannot be decoded: \(error)")
        }
    }

    private mutating func receive(
        _ response: Envoy.Discovery.DiscoveryResponse, of type: ResourceType,
        from server: Server, at now: MonotonicInstant
    ) {
        stopFallback(behind: server)
        let context = context(of: server)
        var rejection = Rejection()
        // Of a name that is repeated, the last resource counts.
        var checked: [ResourceName: CheckedResource] = [:]
        var hasNameless = false
        var counts = UpdateCounts(server: server, type: type)
        for (index, any) in response.resources.enumerated() {
            let resource = CheckedResource(any, of: type, context)
            rejection.add(resource, index)
            if resource.resource == nil { counts.invalid += 1 } else { counts.valid += 1 }
            guard let name = resource.name else {
                hasNameless = true
                continue
            }
            let key = ResourceKey(type: type, name: name)
            // What was not asked for is not kept: there could be millions.
            if streams[server]?.isSubscribed(to: key) == true { checked[name] = resource }
        }
        append(.count(counts))
        streams[server]?.receive(
            type, version: response.versionInfo, nonce: response.nonce,
            rejection: rejection.text, at: now)
        let count = notificationCount
        for (name, resource) in checked {
            let key = ResourceKey(type: type, name: name)
            take(resource, key, version: response.versionInfo, from: server)
        }
        var named = Set(checked.keys)
        for error in response.resourceErrors {
            guard let name = ResourceName(error.resourceName?.name ?? "", of: type) else {
                continue
            }
            named.insert(name)
            let key = ResourceKey(type: type, name: name)
            take(error, key, version: response.versionInfo, from: server)
        }
        // A resource whose name cannot be read may be the one that seems to be missing.
        if type.responsesAreComplete, !hasNameless {
            removeMissing(type, except: named, version: response.versionInfo, server)
        }
        if notificationCount > count { streams[server]?.isBusy = true }
    }

    private mutating func heard(of key: ResourceKey) {
        for server in streams.keys { streams[server]?.heard(of: key) }
    }

    private mutating func take(
        _ checked: CheckedResource, _ key: ResourceKey, version: String, from server: Server
    ) {
        heard(of: key)
        guard let resource = checked.resource else {
            let keepsValue =
                dataErrors == .dropDeleted || !server.features.contains(.failsOnDataErrors)
            return fail(
                key, "is not valid: \(checked.problem)", state: .rejected, version: version,
                keepsValue: keepsValue)
        }
        let origin = WatchedResource.Origin(version: version, time: date, bytes: checked.bytes)
        guard let event = resources[key]?.receive(resource, origin) else { return }
        notify(key, event)
    }

    /// The server cannot send a resource (A88).
    private mutating func take(
        _ error: Envoy.Discovery.ResourceError, _ key: ResourceKey, version: String,
        from server: Server
    ) {
        guard dataErrors == .keep, resources[key] != nil,
            streams[server]?.isSubscribed(to: key) == true
        else { return }
        heard(of: key)
        let code = StatusCode(rawValue: Int(error.errorDetail?.code ?? 2))
        let reason = "the control plane answers \(code): \(error.errorDetail?.message ?? "")"
        let isDataError = code == .notFound || code == .permissionDenied
        fail(
            key, reason, state: .failed(isAbsent: code == .notFound), version: version,
            keepsValue: !(isDataError && server.features.contains(.failsOnDataErrors)))
    }

    /// Handles the deletion of resources that a complete response does not have.
    private mutating func removeMissing(
        _ type: ResourceType, except named: Set<ResourceName>, version: String, _ server: Server
    ) {
        for (key, resource) in resources
        where key.type == type && resource.value != nil && !named.contains(key.name)
            && streams[server]?.isSubscribed(to: key) == true
        {
            let isKept =
                server.features.contains(.ignoresDeletion)
                || dataErrors == .keep && !server.features.contains(.failsOnDataErrors)
            fail(
                key, "the control plane has deleted it", state: .absent, version: version,
                keepsValue: isKept)
        }
    }
}

/// The text that rejects a response: what is wrong with each resource.
private struct Rejection {
    private static let maxByteCount = 16_384

    private var sentences = ""
    private var leftOutCount = 0

    mutating func add(_ resource: CheckedResource, _ index: Int) {
        guard !resource.problem.isEmpty else { return }
        guard sentences.utf8.count < Self.maxByteCount else {
            leftOutCount += 1
            return
        }
        let name = resource.name?.description ?? "resource \(index)"
        sentences += "\(sentences.isEmpty ? "" : "; ")\(name): \(resource.problem)"
    }

    /// Nil if nothing is wrong.
    var text: String? {
        guard !sentences.isEmpty else { return nil }
        return leftOutCount == 0 ? sentences : "\(sentences); and \(leftOutCount) more resources"
    }
}
