/// What a caller has asked of a call so far: kept by interceptors that may have to ask it of
/// another call once more.
struct RecordedRequest {
    /// A request that is larger is not kept, as with other clients of gRPC.
    private static let byteLimit = 256 << 10

    private(set) var options = CallOptions()
    private var messages: [RawMessage] = []
    private var byteCount = 0
    private var isFinished = false
    private var demand = 0
    /// False once responses were handed to the caller, which another call's would not follow from,
    /// or the request has become too large.
    private(set) var mayReplay = true
}

extension RecordedRequest {
    mutating func start(_ options: CallOptions) { self.options = options }

    mutating func write(_ message: RawMessage) {
        guard mayReplay else { return }
        messages.append(message)
        byteCount += message.byteCount
        if byteCount > Self.byteLimit { letGo() }
    }

    mutating func finish() { isFinished = true }

    mutating func receiveNext() { demand += 1 }

    mutating func answered() { letGo() }

    private mutating func letGo() {
        mayReplay = false
        messages = []
    }

    /// Asks all of it of a fresh call, with options that may differ.
    func replay(to call: InterceptedCall, _ options: CallOptions) {
        call.start(options)
        for message in messages { call.write(message) }
        if isFinished { call.finish() }
        for _ in 0..<demand { call.receiveNext() }
    }
}
