@testable import SwiftletTransport

/// Frames that are written byte by byte and not by the library, so that a mistake of the library is
/// not repeated in the tests.
enum Raw {
    static let data: UInt8 = 0
    static let headers: UInt8 = 1
    static let priority: UInt8 = 2
    static let reset: UInt8 = 3
    static let settings: UInt8 = 4
    static let pushPromise: UInt8 = 5
    static let ping: UInt8 = 6
    static let goAway: UInt8 = 7
    static let windowUpdate: UInt8 = 8
    static let continuation: UInt8 = 9

    static let endStream: UInt8 = 1
    static let ack: UInt8 = 1
    static let endHeaders: UInt8 = 4
    static let padded: UInt8 = 8
    static let hasPriority: UInt8 = 0x20

    static func frame(
        _ type: UInt8, _ flags: UInt8 = 0, on stream: UInt32 = 0, _ payload: [UInt8] = []
    ) -> [UInt8] {
        let count = payload.count
        return [
            UInt8(count >> 16 & 255), UInt8(count >> 8 & 255), UInt8(count & 255), type, flags,
        ] + word(stream) + payload
    }

    static func word(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    static func setting(_ identifier: UInt8, _ value: UInt32) -> [UInt8] {
        [0, identifier] + word(value)
    }

    static func settings(_ entries: (UInt8, UInt32)...) -> [UInt8] {
        frame(settings, entries.flatMap { setting($0.0, $0.1) })
    }

    static func frame(_ type: UInt8, _ payload: [UInt8]) -> [UInt8] {
        frame(type, 0, on: 0, payload)
    }

    static func frame(_ type: UInt8, on stream: UInt32, _ payload: [UInt8]) -> [UInt8] {
        frame(type, 0, on: stream, payload)
    }

    static func frame(_ type: UInt8, _ flags: UInt8, _ payload: [UInt8]) -> [UInt8] {
        frame(type, flags, on: 0, payload)
    }

    static let settingsAck = frame(settings, ack)

    static func windowUpdate(_ stream: UInt32, _ increment: UInt32) -> [UInt8] {
        frame(windowUpdate, 0, on: stream, word(increment))
    }

    static func goAway(last: UInt32, code: UInt32 = 0) -> [UInt8] {
        frame(goAway, word(last) + word(code))
    }

    static let magic = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    // Header blocks of the static table: POST, http, "/"; 200; and a literal.
    static let requestBlock: [UInt8] = [0x83, 0x86, 0x84]
    static let responseBlock: [UInt8] = [0x88]
    static let trailersBlock = literal("grpc-status", "0")
    static let interimBlock: [UInt8] = [0x08, 3] + Array("103".utf8)

    static func literal(_ name: String, _ value: String) -> [UInt8] {
        [0, UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8(value.utf8.count)]
            + Array(value.utf8)
    }

    static func request(_ stream: UInt32, ends: Bool = false) -> [UInt8] {
        frame(headers, endHeaders | (ends ? endStream : 0), on: stream, requestBlock)
    }

    static func response(_ stream: UInt32, ends: Bool = false) -> [UInt8] {
        frame(headers, endHeaders | (ends ? endStream : 0), on: stream, responseBlock)
    }

    static func trailers(_ stream: UInt32) -> [UInt8] {
        frame(headers, endHeaders | endStream, on: stream, trailersBlock)
    }

    static func data(_ stream: UInt32, _ bytes: [UInt8], ends: Bool = false) -> [UInt8] {
        frame(data, ends ? endStream : 0, on: stream, bytes)
    }
}

/// A frame of the engine's output, parsed by hand.
struct SentFrame: Equatable {
    var type: UInt8
    var flags: UInt8
    var stream: UInt32
    var payload: [UInt8]

    var word: UInt32 { payload.prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }
    /// The second word of the payload: the code of a GOAWAY.
    var secondWord: UInt32 { payload.dropFirst(4).prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }

    static func all(in bytes: [UInt8]) -> [SentFrame] {
        var rest = bytes[...]
        if rest.starts(with: Raw.magic) { rest = rest.dropFirst(Raw.magic.count) }
        var frames: [SentFrame] = []
        while rest.count >= 9 {
            let head = Array(rest.prefix(9))
            let count = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
            let stream = head[5...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            frames.append(
                SentFrame(
                    type: head[3], flags: head[4], stream: stream,
                    payload: Array(rest.dropFirst(9).prefix(count))))
            rest = rest.dropFirst(9 + count)
        }
        return frames
    }
}

extension Endpoint {
    /// A client whose server has sent and acknowledged SETTINGS. The client's first output is
    /// discarded.
    static func client(
        _ configuration: ConnectionConfiguration = .init(.client),
        settings: [UInt8] = Raw.settings()
    ) -> Endpoint {
        var endpoint = Endpoint(configuration)
        endpoint.receive(settings + Raw.settingsAck)
        _ = endpoint.output()
        _ = endpoint.takeEvents()
        return endpoint
    }

    /// A server whose client has sent and acknowledged SETTINGS. The server's first output and
    /// events are discarded.
    static func server(
        _ configuration: ConnectionConfiguration = .init(.server),
        settings: [UInt8] = Raw.settings()
    ) -> Endpoint {
        var endpoint = Endpoint(configuration)
        endpoint.receive(Raw.magic + settings + Raw.settingsAck)
        _ = endpoint.output()
        _ = endpoint.takeEvents()
        return endpoint
    }

    mutating func open(ends: Bool = false) throws -> StreamHandle {
        try connection.openStream(nil, .request, endStream: ends)
    }

    mutating func sentFrames() -> [SentFrame] { SentFrame.all(in: output()) }

    /// The most severe outcome of everything received so far.
    mutating func verdict() -> Verdict {
        var verdict = Verdict.accepted
        for event in takeEvents() {
            switch event {
            case .failed(let error): return .connection(error.code)
            case .streamFailed(_, let error): verdict = .stream(error.code)
            default: break
            }
        }
        if verdict == .accepted, let reset = sentFrames().last(where: { $0.type == Raw.reset }) {
            verdict = .stream(ErrorCode(rawValue: reset.word))
        }
        return verdict
    }
}

/// The outcome of received frames: accepted, a stream error or a connection error.
enum Verdict: Equatable, CustomStringConvertible {
    case accepted
    case stream(ErrorCode)
    case connection(ErrorCode)

    var description: String {
        switch self {
        case .accepted: "accepted"
        case .stream(let code): "stream error \(code)"
        case .connection(let code): "connection error \(code)"
        }
    }
}
