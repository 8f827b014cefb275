import SwiftletCore
import SwiftletTransport
import Synchronization

/// One attempt of a stream to a control plane.
final class ADSConnection: Sendable {
    /// What happens to it, in this order: opened, responses, closed. One that could not be opened is only closed.
    enum Event: Sendable {
        case opened
        case received([UInt8])
        /// Why, in a sentence.
        case closed(String)
    }

    private struct State: ~Copyable {
        var call: WritingCall<[UInt8]>?
        var isClosed = false
    }

    private static let method = Method<[UInt8], [UInt8]>(
        "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources",
        .bidirectional, request: .bytes, reply: .bytes)

    let server: XDS.Bootstrap.Server
    private let channel: Channel
    private let state = Mutex(State())
    private let report: @Sendable (ADSConnection, Event) -> Void

    init(
        to server: XDS.Bootstrap.Server, _ channel: Channel,
        report: @escaping @Sendable (ADSConnection, Event) -> Void
    ) {
        self.server = server
        self.channel = channel
        self.report = report
    }
}

extension ADSConnection {
    /// Begins the stream when the channel is connected: the time in which a resource must arrive is counted from
    /// then. If the channel cannot connect, the stream begins all the same, so that it ends with the reason.
    func start() {
        channel.connect()
        Task { [self] in
            for await connectivity in channel.connectivityChanges {
                guard connectivity != .idle, connectivity != .connecting else { continue }
                return begin(isConnected: connectivity == .ready)
            }
            begin(isConnected: false)
        }
    }

    private func begin(isConnected: Bool) {
        guard !state.withLock({ $0.isClosed }) else { return }
        var handlers = ResponseHandlers<[UInt8]>(
            message: { [self] bytes in report(self, .received(bytes)) },
            end: { [self] result in
                switch result {
                case .success: report(self, .closed("it has ended the stream"))
                case .failure(let error): report(self, .closed("\(error.code): \(error.message)"))
                }
            })
        handlers.initialDemand = 0
        var options = CallOptions()
        options.inheritsDeadline = false
        for path in server.tokenFiles {
            options.credentials = TokenFile(path: path)
        }
        let call = channel.startBidirectional(Self.method, options: options, handlers: handlers)
        let isClosed = state.withLock { state in
            state.call = call
            return state.isClosed
        }
        guard !isClosed else { return call.cancel() }
        if isConnected { report(self, .opened) }
    }

    func send(_ request: [UInt8]) {
        // After the end of the call, a request is dropped.
        try? state.withLock({ $0.call })?.write(request)
    }

    func readNext() { state.withLock { $0.call }?.receiveNext() }

    func close() {
        let call = state.withLock { state in
            state.isClosed = true
            return state.call
        }
        call?.cancel()
    }
}
