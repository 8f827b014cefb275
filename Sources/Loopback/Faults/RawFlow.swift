/// The DATA of an answer that waits for the client's windows. Holds one answer at a time.
struct RawFlow {
    /// RFC 9113 §6.9.2.
    private static let defaultRoom = 65_535

    private var initialRoom = defaultRoom
    private var connectionRoom = defaultRoom
    private var waiting: (stream: UInt32, frames: ArraySlice<[UInt8]>, room: Int)?
}

extension RawFlow {
    /// Applies the client's SETTINGS, which arrive before its first stream.
    mutating func receiveSettings(_ payload: [UInt8]) {
        for start in stride(from: 0, to: payload.count - 5, by: 6)
        where payload[start] == 0 && payload[start + 1] == 4 {
            initialRoom = Self.integer(payload[(start + 2)...])
        }
    }

    mutating func receiveWindowUpdate(_ stream: UInt32, _ payload: [UInt8]) {
        let increment = Self.integer(payload[...])
        if stream == 0 { connectionRoom += increment }
        if stream == waiting?.stream { waiting?.room += increment }
    }

    mutating func begin(_ frames: [[UInt8]], on stream: UInt32) {
        waiting = (stream, frames[...], initialRoom)
    }

    mutating func end(_ stream: UInt32) {
        if waiting?.stream == stream { waiting = nil }
    }

    /// Removes and returns the frames that fit the windows now, and the stream that they complete.
    mutating func takeFrames() -> (bytes: [UInt8], ended: UInt32?) {
        guard let stream = waiting?.stream else { return ([], nil) }
        var bytes: [UInt8] = []
        // DATA counts against the windows with its whole payload, padding included (§6.1), but
        // without the frame header (§6.9.1).
        while let frame = waiting?.frames.first, let room = waiting?.room,
            frame.count - 9 <= min(room, connectionRoom)
        {
            bytes += frame
            connectionRoom -= frame.count - 9
            waiting?.room -= frame.count - 9
            waiting?.frames.removeFirst()
        }
        guard waiting?.frames.isEmpty == true else { return (bytes, nil) }
        waiting = nil
        return (bytes, stream)
    }

    private static func integer(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    }
}
