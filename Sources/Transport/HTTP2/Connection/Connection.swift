/// One end of an HTTP/2 connection as a value (RFC 9113): its input is bytes and commands, its output is
/// events and bytes. It does no I/O, reads no clock, starts no task and uses no lock.
///
/// The connection itself does the work that only the protocol needs: it acknowledges PINGs, sends
/// WINDOW_UPDATEs and resets streams. It returns an ``Event`` for everything that its user must handle.
///
/// It routes frames between its components. Each component has private state and one responsibility.
///
/// - Important: After every call, events may be pending (``nextEvent()``), and output may be pending
///   (``takeOutput(into:upTo:opensStreams:)``).
package struct Connection: ~Copyable {
    package typealias Instant = MonotonicInstant

    let configuration: ConnectionConfiguration
    /// Keeps the connection's state, which is about 1.4 KB, at a fixed address, so that calls do not copy
    /// it.
    private let place = InPlace()

    // Receiving.
    var preface: Preface
    var reader = FrameReader()
    var headers: HeaderReceiver

    // Both directions.
    var settings: SettingsExchange
    var flow: ConnectionFlow
    var requests: RequestIDs
    var streams = StreamTable()
    var lifecycle = Lifecycle()
    var keepAlive: KeepAlive?
    /// Nil if the peer may send any number of PINGs.
    var pingStrikes: PingStrikes?

    // Sending.
    var outbox: Outbox

    // Defense.
    var abuse: AbuseGuard

    // For the user.
    /// Events that were not returned yet, because one input can cause many.
    var events = Backlog<Event>()
    /// Streams whose queue has become short after ``reportWhenSendQueueIsShort(_:)``.
    var roomReports: [StreamHandle] = []
    package internal(set) var counts = TrafficCounts()

    /// Makes the connection and its first output: the preface and SETTINGS.
    package init(_ configuration: ConnectionConfiguration, now: Instant) {
        self.configuration = configuration
        let limits = configuration.limits
        preface = Preface(role: configuration.role)
        headers = HeaderReceiver(limits)
        settings = SettingsExchange(timeout: configuration.settingsTimeout)
        flow = ConnectionFlow(configuration.receiveWindows)
        requests = RequestIDs(role: configuration.role, first: configuration.firstRequestID)
        keepAlive = configuration.keepAlive.map { KeepAlive($0, now: now) }
        pingStrikes = configuration.minPingInterval.map { PingStrikes(minInterval: $0) }
        outbox = Outbox(
            encoderTableByteCount: configuration.encoderTableByteCount,
            answerLimit: limits.pendingAckCount)
        abuse = AbuseGuard(limits)
        writePreface(now: now)
    }

    private mutating func writePreface(now: Instant) {
        if configuration.role == .client { outbox.writeMagic() }
        outbox.write(settings.announce(configuration.settings, now: now))
        // Until the peer acknowledges our SETTINGS, the old limits apply. Accepting larger frames earlier is harmless.
        reader.maxPayloadByteCount = configuration.settings.maxFrameByteCount
        let windowByteCount = max(
            2 * Int(configuration.streamWindowByteCount), 4 * Int(flow.receiveWindow.target))
        writeConnectionUpdate(flow.enlarge(to: windowByteCount))
    }
}

// MARK: - State for the user

extension Connection {
    /// The fields of the last ``Event/headers(_:_:endStream:)``.
    package var receivedHeaders: HeaderList { headers.headers }

    /// Identifies the fields of ``receivedHeaders``: lists with the same identifier have equal fields. Nil if
    /// the list was not recognized as a repetition.
    package var receivedHeadersID: UInt64? { headers.headersID }

    /// Streams that are open or wait to be opened.
    package var streamCount: Int { streams.count }

    /// How many streams a client has opened, without the streams that wait to be opened.
    package var startedStreamCount: Int { requests.takenCount }

    /// Streams that wait to be opened.
    package var waitingStreamCount: Int { streams.waitingCount }

    /// The bytes that may be sent on the connection now.
    package var sendWindowByteCount: Int { flow.sendableByteCount }

    /// The most streams that were open at once.
    package var mostStreamCount: Int { streams.mostOpenCount }

    /// Whether ``nextEvent()`` returns an event.
    package var hasEvents: Bool { !events.isEmpty }

    /// Whether a new stream opens at once.
    package var hasRoomForStream: Bool { streamRoom > 0 }

    /// How many new streams open at once.
    package var streamRoom: Int {
        max(0, streamLimit - streams.openCount - streams.waitingCount)
    }

    /// Whether ``takeOutput(into:upTo:opensStreams:)`` returns bytes.
    package var hasOutput: Bool {
        !outbox.isEmpty
            || (streams.hasReady && flow.sendableByteCount > 0 && !lifecycle.hasFailed)
            || (streams.hasWaiting && mayOpenStream)
    }

    /// The largest header list that the peer accepts, in bytes (SETTINGS_MAX_HEADER_LIST_SIZE). The peer
    /// refuses a stream with a larger list. Nil if the peer announces no limit.
    package var peerHeaderListLimit: Int? { settings.peerHeaderListLimit }

    /// How many streams the peer allows at once. Nil when it announces no limit.
    package var peerStreamLimit: Int? { settings.peerStreamLimit }

    /// The next pending event. ``receive(_:at:now:)`` returns pending events, too.
    package mutating func nextEvent() -> Event? { events.popFirst() }

    /// The next stream whose queue has become short since ``reportWhenSendQueueIsShort(_:)``.
    package mutating func nextRoomReport() -> StreamHandle? { roomReports.popLast() }

    /// The time at which a keep-alive PING is sent, or its answer is due, if nothing arrives until then.
    package var probeDeadline: Instant? { keepAlive?.deadline(hasStreams: streams.count > 0) }

    /// Whether no new streams can be opened.
    package var isDraining: Bool { lifecycle.isDraining }

    /// Whether this side has sent GOAWAY.
    package var hasSentGoAway: Bool { lifecycle.own != .open }

    /// Whether a connection error has ended the connection.
    package var hasFailed: Bool { lifecycle.hasFailed }
}
