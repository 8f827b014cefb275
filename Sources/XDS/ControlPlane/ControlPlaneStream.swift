import SwiftletCore
import SwiftletTransport
import Synchronization

/// One attempt of a stream to a control plane. It observes its own call.
final class ControlPlaneStream: CallObserver {
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
        var call: (any CallRequests)?
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
        Task { [self] in
            for await state in channel.connectivityChanges {
                // At any time before it is READY: the server may close its connection just after the last stream.
                if state == .idle { channel.connect() } else if state != .connecting { break }
            }
            begin()
        }
    }

    private func begin() {
        guard !state.withLock({ $0.isClosed }) else { return }
        var options = CallOptions()
        options.inheritsDeadline = false
        // Each of them would send the same header. The last one counts.
        options.credentials = server.tokenFiles.last.map { TokenFile(path: $0) }
        let call = channel.makeCall(method.signature, options, observer: self)
        call.start()
        let isClosed = state.withLock { state in
            state.call = call
            return state.isClosed
        }
        guard !isClosed else { return call.cancel() }
        // In every state of the channel: one that was in TRANSIENT_FAILURE may be READY by now, so that the call waits for
        // its first request.
        report(self, .opened)
    }

    /// After the end of the call, a request is dropped.
    func send(_ request: [UInt8]) {
        guard let call = state.withLock({ $0.call }),
            let message = try? method.requestCodec.encode(request)
        else { return }
        call.write(message, andFinish: false)
    }

    /// Asks for one more response.
    func readNext() { state.withLock { $0.call }?.receiveNext() }

    func close() {
        let call = state.withLock { state in
            state.isClosed = true
            return state.call
        }
        call?.cancel()
    }
}

// MARK: - Events of the call

extension ControlPlaneStream {
    var runsHandlers: Bool { true }

    func receive(initialMetadata: Metadata) {}

    func receive(message: [UInt8], from call: any CallRequests) {
        report(self, .received(message))
    }

    func messageWasWritten(wasAccepted: Bool) {
        if wasAccepted { report(self, .sent) }
    }

    func receive(end: consuming CallEnd) {
        let reason = end.error.map { "\($0.code): \($0.message)" } ?? "it has ended the stream"
        report(self, .closed(reason))
    }
}
