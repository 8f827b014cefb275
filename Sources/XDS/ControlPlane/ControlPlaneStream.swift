import SwiftletCore
import SwiftletTransport
import Synchronization

/// One attempt of a stream to a control plane.
final class ControlPlaneStream: Sendable {
    /// What happens to it: opened, requests and responses, closed. The end of a call that fails at once may be reported
    /// before the beginning.
    enum Event: Sendable {
        /// Requests can be sent. It says nothing about whether the server answers.
        case opened
        /// A request was sent, and there is room for the next one.
        case sent
        case received([UInt8])
        /// Why, in a sentence.
        case closed(String)
    }

    private struct State: ~Copyable {
        var call: WritingCall<[UInt8]>?
        var isClosed = false
    }

    static let resources = Method<[UInt8], [UInt8]>(
        "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources",
        .bidirectional, request: .bytes, reply: .bytes)

    static let loadReports = Method<[UInt8], [UInt8]>(
        "/envoy.service.load_stats.v3.LoadReportingService/StreamLoadStats",
        .bidirectional, request: .bytes, reply: .bytes)

    let server: XDS.Bootstrap.Server
    private let method: Method<[UInt8], [UInt8]>
    private let channel: Channel
    private let state = Mutex(State())
    private let report: @Sendable (ControlPlaneStream, Event) -> Void

    init(
        _ method: Method<[UInt8], [UInt8]>, to server: XDS.Bootstrap.Server, _ channel: Channel,
        report: @escaping @Sendable (ControlPlaneStream, Event) -> Void
    ) {
        self.method = method
        self.server = server
        self.channel = channel
        self.report = report
    }
}

extension ControlPlaneStream {
    /// Begins the stream when the channel is connected: the time in which a resource must arrive is counted from
    /// then. If the channel cannot connect, the stream begins all the same, so that it ends with the reason.
    func start() {
        channel.connect()
        Task { [self] in
            for await state in channel.connectivityChanges
            where state != .idle && state != .connecting { break }
            begin()
        }
    }

    private func begin() {
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
        // Each of them would send the same header. The last one counts.
        options.credentials = server.tokenFiles.last.map { TokenFile(path: $0) }
        let call = channel.startBidirectional(method, options: options, handlers: handlers)
        let isClosed = state.withLock { state in
            state.call = call
            return state.isClosed
        }
        guard !isClosed else { return call.cancel() }
        // In every state of the channel: one that was in TRANSIENT_FAILURE may be READY by now, so that the call waits for
        // its first request.
        report(self, .opened)
    }

    func send(_ request: [UInt8]) {
        // After the end of the call, a request is dropped.
        try? state.withLock({ $0.call })?.write(request) { [self] hasRoom in
            if hasRoom { report(self, .sent) }
        }
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
