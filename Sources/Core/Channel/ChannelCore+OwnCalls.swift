import SwiftletTransport

extension ChannelCore {
    /// The calls of the channel itself on a connection.
    func calls(on link: Link) -> any OwnCalls { LinkCalls(link, of: self) }
}

/// Makes the calls of a channel itself, and opens them on one connection. No picker chooses it.
final class LinkCalls: OwnCalls, CallBackend {
    private let link: Link
    private let channel: ChannelCore

    init(_ link: Link, of channel: ChannelCore) {
        self.link = link
        self.channel = channel
    }

    var openCalls: CallRegistry { channel.openCalls }

    func makeCall(
        _ method: MethodSignature, _ limits: MessageLimits, _ observer: any CallObserver
    ) -> any CallRequests {
        var options = CallOptions()
        options.credentials = channel.callCredentials
        let call = NewCall(method: method, options: options, observer: observer)
        guard channel.callCredentials != nil else { return make(call, limits) }
        return DeferredCall(call, CallSelection(nil), nil, limits, channel) { [self] call, _ in
            make(call, limits)
        }
    }

    private func make(_ call: consuming NewCall, _ limits: MessageLimits) -> CallCore {
        CallCore(
            CallHead(call.method, call.options, limits), deadline: .never, backend: self,
            observer: call.observer)
    }

    var loop: EventLoop { link.loop }

    func begin(_ call: CallCore) {
        var cache = RequestHeadCache()
        do throws(RPCError) {
            let prepared = try cache.prepared(
                for: call, defaultAuthority: channel.authority,
                scheme: link.wire.isSecure ? "https" : "http", userAgent: channel.userAgent)
            link.noteOwnStream()
            guard !link.open(call, prepared) else { return }
            throw RPCError(.unavailable, "the connection to \(link.peer) accepts no calls")
        } catch {
            call.end(with: error)
        }
    }

    func forget(_ call: CallCore) {}

    func deadlineError(of call: CallCore) -> RPCError {
        RPCError(.deadlineExceeded, "the deadline passed before \(link.peer) answered")
    }
}
