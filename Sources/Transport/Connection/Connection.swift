/// One end of an HTTP/2 connection, as arithmetic: octets and commands go in, events and octets
/// come out (RFC 9113). It does no I/O, reads no clock, starts no task and takes no lock.
///
/// What only the protocol cares about — answering a PING, giving back a window, resetting a
/// stream — it writes to its own output. What its user must act on, it returns as an ``Event``.
///
/// - Important: After every call, events may be waiting (``nextEvent()``) and output may be there
///   to be written (``takeOutput(into:upTo:)``).
package struct Connection: ~Copyable {
    package typealias Instant = MonotonicInstant

    package let configuration: ConnectionConfiguration
    /// 1.4 KB, which are looked at several times a call.
    private let place = InPlace()

    // What arrives.
    var reader = FrameReader()
    var preface: Preface
    var assembler: HeaderBlockAssembler
    var decoder: HPACK.Decoder
    var decodedHeaders = HeaderList()
    var repeatedBlocks = RepeatedBlocks()

    // Agreements.
    var peerSettings = Settings()
    /// What holds for the peer: our SETTINGS as far as they have been acknowledged.
    var acknowledgedSettings = Settings()
    /// Our SETTINGS under way, oldest first.
    var unacknowledgedSettings: [Settings] = []
    var settingsDeadline: Instant?

    // Streams.
    var streams = StreamTable()
    var queues = SendQueuePool()
    var waiting = StreamList()
    var ready = StreamList()
    /// Streams that a client has opened and that are not over: what the limits on concurrent
    /// streams count.
    var requestCount = 0
    var nextRequestID: StreamID?
    /// The highest stream that the client has opened, as the server sees it.
    var lastRequestID = StreamID.connection

    // Flow control.
    var sendWindow = FlowControlWindow()
    var receiveWindow = ReceiveWindow(byteCount: FlowControlWindow.defaultByteCount)
    var bandwidth: BandwidthEstimate?
    /// Octets delivered and not yet consumed, over all streams.
    var unreadByteCount = 0
    /// Those of them that the connection's window has not been given back for.
    var withheldByteCount = 0

    // What goes out.
    var output = GatherList()
    var encoder: HPACK.Encoder
    var pendingAckCount = 0
    /// Streams whose queue has become short, for those who asked.
    var roomReports: [StreamHandle] = []

    // Health.
    var lifecycle = Lifecycle()
    var glitches: GlitchBudget
    /// WINDOW_UPDATEs that the peer may send for what it was sent, before they are glitches.
    var owedUpdateCount = 0
    var late = LateFrames()
    var keepAlive: KeepAlive?
    /// Those that could not be returned at once: one input can cause many.
    var events = Backlog<Event>()

    // What is counted for those who try servers, and for nothing else.
    /// PINGs that asked for an answer.
    package internal(set) var pingCount = 0
    package internal(set) var goAwayCount = 0
    /// Streams that the peer reset before they were over.
    package internal(set) var resetCount = 0
    package internal(set) var dataFrameCount = 0
    /// Octets of padding in DATA, and those that say how many they are.
    package internal(set) var paddingByteCount = 0
    /// The most streams of the client that were open at once.
    package internal(set) var mostRequestCount = 0

    /// Makes the connection and its first output: the preface and SETTINGS.
    package init(_ configuration: ConnectionConfiguration, now: Instant) {
        self.configuration = configuration
        let limits = configuration.limits
        nextRequestID = configuration.firstRequestID
        preface = configuration.role == .server ? .awaitingMagic : .awaitingSettings
        assembler = HeaderBlockAssembler(maxContinuationCount: limits.continuationCount)
        decoder = HPACK.Decoder()
        encoder = HPACK.Encoder(maxTableByteCount: configuration.encoderTableByteCount)
        glitches = GlitchBudget(limits)
        keepAlive = configuration.keepAlive.map { KeepAlive($0, now: now) }
        if case .automatic(let initial, let limit) = configuration.receiveWindows {
            bandwidth = BandwidthEstimate(initial: initial, limit: limit)
        }
        sendPreface(now: now)
    }
}

// MARK: - What its user may ask

extension Connection {
    /// The fields of the last ``Event/headers(_:_:endStream:)``.
    package var receivedHeaders: HeaderList { repeatedBlocks.headers ?? decodedHeaders }

    /// The same for lists that say the same; nil for one that has not come again.
    package var receivedHeadersID: UInt64? { repeatedBlocks.current?.id }

    /// Streams that are open or wait to be opened.
    package var streamCount: Int { streams.count }

    /// Whether there is something to be told by ``receive(_:at:now:)``, without any octets.
    package var hasEvents: Bool { !events.isEmpty }

    /// Whether a new stream need not wait for another to end.
    package var hasRoomForStream: Bool { streamRoom > 0 }

    /// How many need not.
    package var streamRoom: Int { max(0, requestLimit - requestCount - waiting.count) }

    /// Whether there is something to be written that no window holds back.
    package var hasOutput: Bool {
        !output.isEmpty
            || (!ready.isEmpty && sendWindow.available > 0 && !lifecycle.hasFailed)
            || (!waiting.isEmpty && mayOpenStream)
    }

    /// The largest header list that the peer says it takes (SETTINGS_MAX_HEADER_LIST_SIZE); nil
    /// when it says nothing. It will refuse the stream of a larger one.
    package var peerHeaderListLimit: Int? {
        peerSettings.maxHeaderListByteCount.map(Int.init(clamping:))
    }

    /// How many streams the peer allows at once; nil when it says nothing.
    package var peerStreamLimit: Int? {
        peerSettings.maxConcurrentStreams.map(Int.init(clamping:))
    }

    /// The next event that lies ready. ``receive(_:at:now:)`` returns them too.
    package mutating func nextEvent() -> Event? { events.popFirst() }

    /// The next stream whose queue has become short since
    /// ``reportWhenSendQueueIsShort(_:)``.
    package mutating func nextRoomReport() -> StreamHandle? { roomReports.popLast() }

    /// When the peer is to be probed, or must have answered, if nothing arrives until then.
    package var probeDeadline: Instant? { keepAlive?.deadline(hasStreams: streams.count > 0) }

    /// Whether new streams are refused.
    package var isDraining: Bool { lifecycle.isDraining }

    /// Whether a connection error ended it.
    package var hasFailed: Bool { lifecycle.hasFailed }
}
