import Testing

@testable import SwiftletTransport

@Suite("Two engines with random legal traffic between them")
struct LegalTrafficTests {
    /// The send windows of one direction, computed from the frames on the wire.
    private struct Ledger {
        var connection = 65_535
        var initial = 65_535
        var streams: [UInt32: Int] = [:]
        var maxFrame = 16_384

        /// Applies the WINDOW_UPDATE and SETTINGS frames that the sender of the data has received.
        mutating func permit(_ frames: [SentFrame]) {
            for frame in frames {
                if frame.type == Raw.windowUpdate {
                    if frame.stream == 0 {
                        connection += Int(frame.word)
                    } else {
                        streams[frame.stream, default: initial] += Int(frame.word)
                    }
                } else if frame.type == Raw.settings, frame.flags == 0 {
                    applySettings(frame.payload)
                }
            }
        }

        private mutating func applySettings(_ payload: [UInt8]) {
            for offset in stride(from: 0, to: payload.count, by: 6) {
                let value = payload[(offset + 2)..<(offset + 6)].reduce(0) { $0 << 8 | Int($1) }
                guard payload[offset + 1] == 4 else { continue }
                for stream in streams.keys { streams[stream, default: 0] += value - initial }
                initial = value
            }
        }

        /// Subtracts the sent DATA from the windows, and checks that the windows permitted it.
        mutating func spend(_ frames: [SentFrame]) {
            for frame in frames {
                if frame.type == Raw.headers, streams[frame.stream] == nil {
                    streams[frame.stream] = initial
                }
                guard frame.type == Raw.data, !frame.payload.isEmpty else { continue }
                connection -= frame.payload.count
                streams[frame.stream, default: initial] -= frame.payload.count
                #expect(connection >= 0)
                #expect(streams[frame.stream, default: 0] >= 0)
                #expect(frame.payload.count <= maxFrame)
            }
        }
    }

    /// A run of random traffic. Counts the bytes that each side has sent, and those that it has not consumed.
    private struct Run: ~Copyable {
        var pair: EnginePair
        var generator: SplitMix64
        var toServer = Ledger()
        var toClient = Ledger()
        var calls: [StreamHandle] = []
        var served: [StreamHandle] = []
        var saidByClient: [StreamHandle: Int] = [:]
        var saidByServer: [StreamHandle: Int] = [:]
        /// The bytes that were delivered and not yet consumed.
        var unreadByClient: [StreamHandle: Int] = [:]
        var unreadByServer: [StreamHandle: Int] = [:]
        var clientEvents = 0
        var serverEvents = 0

        init(seed: UInt64) {
            generator = SplitMix64(seed: seed)
            var client = ConnectionConfiguration(.client)
            var server = ConnectionConfiguration(.server)
            let windows = [200, 5_000, 65_535, 300_000]
            client.receiveWindows =
                seed % 3 == 0 ? .automatic() : .fixed(windows[Int(seed) % 4])
            server.receiveWindows = .fixed(windows[Int(seed / 4) % 4])
            server.maxConcurrentStreams = Int(seed) % 7 + 1
            // Time does not advance, and small windows need many WINDOW_UPDATE frames.
            client.limits.glitchCount = 1_000_000
            server.limits.glitchCount = 1_000_000
            pair = EnginePair(client: client, server: server)
        }

        mutating func turn() throws {
            switch Int.random(in: 0..<10, using: &generator) {
            case 0: if calls.count < 12 { calls.append(try pair.client.open()) }
            case 1, 2: say(fromClient: true)
            case 3, 4: say(fromClient: false)
            case 5: toServerNow()
            case 6: toClientNow()
            case 7: consume(byClient: true)
            case 8: consume(byClient: false)
            default: if Int.random(in: 0..<20, using: &generator) == 0 { end() }
            }
        }

        private mutating func say(fromClient: Bool) {
            let byteCount = [0, 1, 100, 5_000, 70_000].randomElement(using: &generator) ?? 0
            let bytes = [UInt8](repeating: 5, count: byteCount)
            if fromClient {
                guard let call = calls.randomElement(using: &generator) else { return }
                let outcome = pair.client.connection.sendData(bytes, on: call, endStream: false)
                if outcome != .closed { saidByClient[call, default: 0] += byteCount }
            } else {
                guard let call = served.randomElement(using: &generator) else { return }
                let outcome = pair.server.connection.sendData(bytes, on: call, endStream: false)
                if outcome != .closed { saidByServer[call, default: 0] += byteCount }
            }
        }

        mutating func toServerNow() {
            let bytes = pair.client.output()
            let frames = SentFrame.all(in: bytes)
            toServer.spend(frames)
            toClient.permit(frames)
            let before = pair.server.bodies.mapValues(\.count)
            pair.server.receive(bytes, consuming: false)
            for (handle, body) in pair.server.bodies {
                unreadByServer[handle, default: 0] += body.count - before[handle, default: 0]
            }
            for event in pair.server.takeEvents() {
                guard case .headers(let handle, .initial, _) = event else { continue }
                served.append(handle)
                _ = pair.server.connection.sendHeaders(
                    nil, .response, on: handle, endStream: false)
            }
        }

        mutating func toClientNow() {
            let bytes = pair.server.output()
            let frames = SentFrame.all(in: bytes)
            toClient.spend(frames)
            toServer.permit(frames)
            let before = pair.client.bodies.mapValues(\.count)
            pair.client.receive(bytes, consuming: false)
            for (handle, body) in pair.client.bodies {
                unreadByClient[handle, default: 0] += body.count - before[handle, default: 0]
            }
        }

        private mutating func consume(byClient: Bool, all: Bool = false) {
            let unread = byClient ? unreadByClient : unreadByServer
            for (handle, count) in unread where count > 0 {
                let part = all ? count : Int.random(in: 1...count, using: &generator)
                if byClient {
                    pair.client.connection.consumed(handle, by: part, now: pair.client.now)
                    unreadByClient[handle] = count - part
                } else {
                    pair.server.connection.consumed(handle, by: part, now: pair.server.now)
                    unreadByServer[handle] = count - part
                }
            }
        }

        /// Cancels a random stream.
        private mutating func end() {
            if Bool.random(using: &generator), let call = calls.randomElement(using: &generator) {
                pair.client.connection.reset(call, .cancel)
            } else if let call = served.randomElement(using: &generator) {
                pair.server.connection.reset(call, .cancel)
            }
        }

        /// Reads and exchanges everything until both sides have no output.
        mutating func settle() {
            repeat {
                toServerNow()
                toClientNow()
                consume(byClient: true, all: true)
                consume(byClient: false, all: true)
            } while pair.client.connection.hasOutput || pair.server.connection.hasOutput
        }

        mutating func finish() {
            for call in calls {
                _ = pair.client.connection.sendData([], on: call, endStream: true)
            }
            settle()
            for call in served {
                _ = pair.server.connection.sendHeaders(nil, .trailers, on: call, endStream: true)
            }
            settle()
        }
    }

    @Test(
        "never exceed a window, lose no bytes, and return all windows", arguments: UInt64(1)...60)
    func traffic(_ seed: UInt64) throws {
        var run = Run(seed: seed)
        for _ in 0..<400 { try run.turn() }
        // Waiting streams open as others end.
        for _ in 0..<13 { run.finish() }

        for failed in [run.pair.client.connection.hasFailed, run.pair.server.connection.hasFailed] {
            #expect(!failed)
        }
        #expect(run.pair.client.connection.streamCount == 0)
        #expect(run.pair.server.connection.streamCount == 0)
        for unread in [
            run.pair.client.connection.unreadByteCount, run.pair.server.connection.unreadByteCount,
            Int(run.pair.client.connection.flow.receiveWindow.held),
            Int(run.pair.server.connection.flow.receiveWindow.held),
        ] {
            #expect(unread == 0)
        }
        // The connection windows of both sides match the frames that they have exchanged.
        #expect(
            Int(run.pair.client.connection.flow.sendWindow.available) == run.toServer.connection)
        #expect(
            Int(run.pair.server.connection.flow.sendWindow.available) == run.toClient.connection)
        #expect(
            Int(run.pair.server.connection.flow.receiveWindow.available) == run.toServer.connection)
        #expect(
            Int(run.pair.client.connection.flow.receiveWindow.available) == run.toClient.connection)
    }

    @Test("receive exactly what was sent when nothing is cancelled", arguments: UInt64(100)...120)
    func nothingLost(_ seed: UInt64) throws {
        var pair = EnginePair()
        var generator = SplitMix64(seed: seed)
        var said: [StreamHandle: [UInt8]] = [:]
        for _ in 0..<5 {
            said[try pair.client.connection.openStream(nil, .request, endStream: false)] = []
        }
        let calls = said.keys.sorted { $0.slot < $1.slot }
        for turn in 0..<200 {
            guard let call = calls.randomElement(using: &generator) else { break }
            let count = Int.random(in: 0...9_000, using: &generator)
            let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: turn), count: count)
            _ = pair.client.connection.sendData(bytes, on: call, endStream: false)
            said[call, default: []] += bytes
            if turn % 7 == 0 { pair.settle() }
        }
        for call in calls { _ = pair.client.connection.sendData([], on: call, endStream: true) }
        pair.settle()
        let heard = pair.server.bodies.sorted { $0.key.slot < $1.key.slot }.map(\.value)
        #expect(heard == calls.map { said[$0] ?? [] })
    }
}
