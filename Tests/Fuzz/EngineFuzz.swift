// fuzz-modules: Transport

// A libFuzzer target for the whole engine in both roles; `Tests/Fuzz/run` builds it.

@testable import SwiftletTransport

/// Runs one input as a script: its bytes determine the next actions of the user and the peer.
///
/// libFuzzer keeps `bytes` alive for this call, and `count` bounds them.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzEngine(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var script = EngineFuzz(unsafe Array(UnsafeBufferPointer(start: bytes, count: count)))
    script.run()
    return 0
}

struct EngineFuzz: ~Copyable {
    private let script: [UInt8]
    private var position = 0
    private let role: Role
    private var connection: Connection
    private var now = MonotonicInstant.now
    /// Bytes of the peer that the engine has not consumed yet.
    private var input: [UInt8] = []
    private var received = 0
    private var handles: [StreamHandle] = []

    init(_ script: [UInt8]) {
        self.script = script
        let choices = script.first ?? 0
        role = choices & 1 == 0 ? .client : .server
        var configuration = ConnectionConfiguration(role)
        if choices & 4 != 0 { configuration.receiveWindows = .fixed(1_000) }
        if choices & 8 != 0 { configuration.maxConcurrentStreams = 2 }
        if choices & 32 != 0 {
            configuration.keepAlive = .init(interval: .seconds(1), withoutStreams: true)
        }
        if choices & 64 != 0 { configuration.firstRequestID = StreamID(wire: 0x7fff_fff9) }
        connection = Connection(configuration, now: now)
        // Unless this bit is set, the peer begins with a valid preface, which the fuzzer need not find.
        if choices & 2 == 0 {
            if role == .server { input += Preface.magic }
            input += [0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0]
        }
        position = 1
    }
}

extension EngineFuzz {
    mutating func run() {
        while let action = next() {
            act(action)
            check()
        }
        receive()
        check()
    }

    private mutating func act(_ action: UInt8) {
        switch action & 15 {
        case 0, 1: feedFrame(type: action >> 4)
        case 2: input += take(Int(action >> 4))
        case 3, 4: feedFrame(type: action >> 4 & 1)
        case 5: open(ends: action >> 4 & 1 == 1)
        case 6:
            let bytes = [UInt8](repeating: 7, count: Int(next() ?? 1) << (action >> 4 & 7))
            guard let handle = handle() else { return }
            _ = connection.sendData(bytes, on: handle, endStream: action & 128 != 0)
        case 7:
            guard let handle = handle() else { return }
            let ends = action & 16 != 0 || role == .client
            _ = connection.sendHeaders(nil, Self.fields, on: handle, endStream: ends)
        case 8:
            guard let handle = handle() else { return }
            connection.reset(handle, ErrorCode(rawValue: UInt32(action >> 4)))
        case 9:
            guard let handle = handle() else { return }
            connection.consumed(handle, by: Int(next() ?? 1) << (action >> 4), now: now)
        case 10: write(upTo: Int(action >> 4) << 8)
        case 11:
            now = now + .milliseconds(Int(next() ?? 1) << (action >> 4))
            _ = connection.poll(now: now)
        case 12: leave(action >> 4)
        case 13: connection.ping(UInt64(action))
        case 14:
            guard let handle = handle() else { return }
            _ = connection.reportWhenSendQueueIsShort(handle)
            _ = connection.nextRoomReport()
        default: feedKnownHeaders(action >> 4)
        }
        receive()
    }

    /// Adds a complete frame whose flags, stream and payload come from the fuzzer's input.
    private mutating func feedFrame(type: UInt8) {
        let flags = next() ?? 0
        let stream = next() ?? 0
        let payload = take(Int(next() ?? 0))
        input += [0, 0, UInt8(payload.count), type, flags, 0, 0, 0, stream] + payload
    }

    /// Adds a HEADERS frame with a block that can be decoded, on a stream below 256.
    private mutating func feedKnownHeaders(_ choice: UInt8) {
        let block: [UInt8] =
            choice & 4 != 0
            ? [0, 1, 0x61, 1, 0x62] : role == .client ? [0x88] : [0x83, 0x86, 0x84]
        let stream = next() ?? 1
        input += [0, 0, UInt8(block.count), 1, 4 | choice & 1, 0, 0, 0, stream] + block
    }

    private mutating func receive() {
        var offset = 0
        let bytes = input
        while let event = connection.receive(bytes.span, at: &offset, now: now) {
            switch event {
            case .headers(let handle, _, _): remember(handle)
            case .data(_, let range, _): received += bytes[range].count
            default: break
            }
        }
        precondition(offset <= bytes.count)
        input.removeFirst(offset)
    }

    private mutating func open(ends: Bool) {
        guard role == .client else { return }
        do throws(Connection.OpenRefusal) {
            remember(try connection.openStream(nil, Self.fields, endStream: ends))
        } catch {
            precondition(connection.isDraining || error == .identifiersExhausted)
        }
    }

    private mutating func write(upTo byteCount: Int) {
        var list = GatherList()
        connection.takeOutput(into: &list, upTo: byteCount)
        precondition(list.bytes.count == list.count)
    }

    private mutating func leave(_ choice: UInt8) {
        switch choice {
        case 0: connection.goAway()
        case 1: connection.shutDownGracefully()
        default: break
        }
    }

    /// Checks the invariants, which are true at any time.
    private func check() {
        // Unread streams use no bytes of the connection's window.
        precondition(connection.hasFailed || connection.flow.receiveWindow.held == 0)
        precondition(connection.flow.sendWindow.available >= 0)
        precondition(
            connection.outbox.answerCount <= connection.configuration.limits.pendingAckCount + 1)
    }
}

// MARK: - The script

extension EngineFuzz {
    private static let fields: HeaderList = {
        var list = HeaderList()
        list.append(":status", "200")
        list.append("a", "b")
        return list
    }()

    private mutating func next() -> UInt8? {
        guard position < script.count else { return nil }
        position += 1
        return script[position - 1]
    }

    private mutating func take(_ count: Int) -> [UInt8] {
        let end = min(script.count, position + count)
        defer { position = end }
        return Array(script[position..<end])
    }

    private mutating func remember(_ handle: StreamHandle) {
        if handles.count < 64 { handles.append(handle) }
    }

    private mutating func handle() -> StreamHandle? {
        guard let choice = next(), !handles.isEmpty else { return nil }
        return handles[Int(choice) % handles.count]
    }
}
