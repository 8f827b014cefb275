import Foundation
import Testing

@testable import SwiftletTransport

// Blocking operations on sockets: each waits for the event itself.

func discardSocket(_ socket: consuming Socket) {}

extension SocketAddress {
    func removeFile() {
        if case .unix(let path) = self { _ = unsafe unlink(path) }
    }
}

extension Socket {
    static func connected(to address: SocketAddress) throws -> Socket {
        let socket = try Socket(for: address)
        if try socket.startConnecting(to: address) == .inProgress {
            try waitFor(socket.descriptor, CInt(POLLOUT))
            try socket.finishConnecting(to: address)
        }
        return socket
    }

    mutating func sendAll(_ bytes: [UInt8]) throws {
        var list = GatherList()
        list.append(referencing: bytes)
        while !list.isEmpty {
            if try write(gathering: &list) == .wouldBlock {
                try waitFor(descriptor, CInt(POLLOUT))
            }
        }
    }

    mutating func readAll(_ count: Int) throws -> [UInt8] {
        var buffer = ReceiveBuffer()
        while buffer.count < count {
            switch try buffer.read(from: self) {
            case .bytes: continue
            case .wouldBlock: try waitFor(descriptor, CInt(POLLIN))
            case .endOfStream, .bufferFull: return buffer.withUnread { [UInt8](copying: $0) }
            }
        }
        return buffer.withUnread { [UInt8](copying: $0) }
    }

    mutating func readOutcome() throws -> Socket.ReadOutcome {
        var buffer = ReceiveBuffer()
        try waitFor(descriptor, CInt(POLLIN))
        return try buffer.read(from: self)
    }
}

extension Listener {
    func awaitSocket() throws -> Socket {
        while true {
            if let socket = try acceptNext() { return socket }
            try waitFor(descriptor, CInt(POLLIN))
        }
    }
}

/// Blocks until `descriptor` is ready, for at most a minute.
func waitFor(_ descriptor: CInt, _ events: CInt) throws {
    var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    let status = unsafe poll(&entry, 1, 60_000)
    try #require(status == 1, "the descriptor does not become ready")
}
