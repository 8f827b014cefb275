import SwiftletTransport
import Synchronization

/// Runs the script of a raw peer on one connection. Interprets the client's frames only as far as the script
/// needs.
struct RawSession: ~Copyable {
    private let connection: RawConnection
    private let acceptor: RawAcceptor
    private var buffer = ReceiveBuffer()
    /// The calls that are not answered yet, by stream, and how to answer them.
    private var calls: [UInt32: RawPeer.Conduct] = [:]
    private var flow = RawFlow()
    /// Received bytes for which no WINDOW_UPDATE was sent, by stream.
    private var heldByteCounts: [UInt32: Int] = [:]

    /// The window of a stream before any WINDOW_UPDATE (RFC 9113 §6.9.2).
    private static let initialWindow = 65_535

    init(_ connection: RawConnection, _ acceptor: RawAcceptor) {
        self.connection = connection
        self.acceptor = acceptor
    }

    consuming func run() {
        // Any error ends the connection. Errors are expected in the test, and are not reported.
        _ = try? serve()
    }

    private mutating func serve() throws {
        try connection.begin()
        let script = acceptor.script
        let misbehaves = acceptor.state.withLock { $0.conduct != .reply }
        try misbehaves ? script.opening(connection) : RawScript.correct.opening(connection)
        _ = try receive(24)  // The client's preface (RFC 9113 §3.4).
        while true { try serveFrame(script) }
    }

    private mutating func serveFrame(_ script: RawScript) throws {
        let header = try receive(9)
        let length = Int(header[0]) << 16 | Int(header[1]) << 8 | Int(header[2])
        let flags = header[4]
        let stream = header[5...8].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let payload = try receive(length)
        switch header[3] {
        case RawFrame.settings where flags & RawFrame.acknowledgement == 0:
            flow.receiveSettings(payload)
            guard script.acknowledges else { return }
            try connection.frame(RawFrame.settings, flags: RawFrame.acknowledgement)
        case RawFrame.ping where flags & RawFrame.acknowledgement == 0:
            acceptor.state.withLock { $0.pingCount += 1 }
            guard script.acknowledges else { return }
            try connection.frame(RawFrame.ping, flags: RawFrame.acknowledgement, payload)
        case RawFrame.ping: acceptor.state.withLock { $0.answeredPingCount += 1 }
        case RawFrame.headers:
            // END_STREAM on HEADERS does not end a gRPC request: Go's and Java's servers ignore it,
            // too.
            try begin(stream, script)
        case RawFrame.data:
            try receiveData(length, on: stream, script)
            if calls[stream] == .hold, length > 0 {
                calls[stream] = nil
                try connection.message(stream, RawPeer.replyBody)
                try connection.trailers(stream)
            } else if flags & RawFrame.endStream != 0 {
                try finish(stream, script)
            }
        case RawFrame.windowUpdate:
            flow.receiveWindowUpdate(stream, payload)
            try sendWhatFits()
        case RawFrame.resetStream:
            calls[stream] = nil
            flow.end(stream)
        default: break
        }
    }

    /// Decides how a new call is answered.
    private mutating func begin(_ stream: UInt32, _ script: RawScript) throws {
        let conduct = acceptor.state.withLock { state in
            state.callCount += 1
            return state.conduct
        }
        calls[stream] = conduct
        if conduct == .hold {
            try connection.headers(stream)
            try connection.message(stream, RawPeer.replyBody)
        }
        if conduct == .misbehave { try script.answerToHeaders?(connection, stream) }
    }

    /// Sends WINDOW_UPDATE for the received bytes, or counts them if the script sends none.
    private mutating func receiveData(
        _ byteCount: Int, on stream: UInt32, _ script: RawScript
    ) throws {
        guard byteCount > 0 else { return }
        guard !script.grantsWindow else {
            return try connection.send(
                RawFrame.windowUpdate(0, UInt32(byteCount))
                    + RawFrame.windowUpdate(stream, UInt32(byteCount)))
        }
        heldByteCounts[stream, default: 0] += byteCount
        guard heldByteCounts[stream] == Self.initialWindow else { return }
        try script.answerToFullWindow?(connection, stream)
    }

    /// Answers a complete request.
    private mutating func finish(_ stream: UInt32, _ script: RawScript) throws {
        switch calls.removeValue(forKey: stream) {
        case .misbehave:
            try script.answer(connection, stream)
            guard let body = script.body else { return }
            flow.begin(body(stream), on: stream)
            try sendWhatFits()
        case .reply: try connection.reply(stream)
        case .hold, nil: break
        }
    }

    private mutating func sendWhatFits() throws(RawPeerGone) {
        let (bytes, ended) = flow.takeFrames()
        try connection.send(bytes)
        if let ended { try connection.trailers(ended) }
    }

    /// Reads exactly this number of bytes.
    private mutating func receive(_ count: Int) throws(RawPeerGone) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        while bytes.count < count {
            if buffer.count == 0 { try connection.receive(&buffer) }
            let taken = buffer.withUnread { unread in
                let part = unread.extracting(first: min(count - bytes.count, unread.count))
                bytes.append(copying: part)
                return part.count
            }
            buffer.consume(taken)
        }
        return bytes
    }
}
