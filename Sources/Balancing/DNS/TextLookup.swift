import CSwiftletSystem
package import SwiftletTransport

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Queries name servers for the TXT records of a name. The system's `getaddrinfo` cannot do that.
package enum TextLookup {
    /// The texts of `name`, or else those of the name in a search domain. Empty if the name does not
    /// exist, or has none.
    ///
    /// A search domain with which DNS cannot have the name is skipped. The failure of a search domain is a
    /// failure only if no server has answered for the name itself: one domain whose servers fail must not
    /// hide the texts of the others.
    ///
    /// Blocks at most for `timeLimit`, of which each candidate may use an equal share. Do not call it on the
    /// thread of an event loop. Throws if no server answers.
    package static func texts(
        of name: String, from servers: NameServers, timeLimit: Duration
    ) throws(NameLookup.Failure) -> [[UInt8]] {
        let end = MonotonicInstant.now + timeLimit
        let candidates = servers.candidates(for: name).filter {
            $0 == name || DNSQuery(id: 0, textsOf: $0) != nil
        }
        var isAnswered = false
        var firstFailure: NameLookup.Failure?
        for (index, candidate) in candidates.enumerated() {
            let now = MonotonicInstant.now
            let share = now.duration(to: end) / (candidates.count - index)
            do throws(NameLookup.Failure) {
                let texts = try texts(ofExactly: candidate, servers, until: now + share)
                if !texts.isEmpty { return texts }
                if candidate == name { isAnswered = true }
            } catch {
                firstFailure = firstFailure ?? error
            }
        }
        if let firstFailure, !isAnswered { throw firstFailure }
        return []
    }

    private static func texts(
        ofExactly name: String, _ servers: NameServers, until end: MonotonicInstant
    ) throws(NameLookup.Failure) -> [[UInt8]] {
        var reason = "no answer within the time limit"
        for _ in 0..<servers.attemptCount {
            for server in servers.addresses {
                // Each query has a new identifier, so that a late answer to an earlier query does not match.
                guard let query = DNSQuery(id: .random(in: 0 ... .max), textsOf: name) else {
                    throw NameLookup.Failure(
                        host: name, reason: "not a name that DNS can have")
                }
                let now = MonotonicInstant.now
                guard now < end else { break }
                do throws(SystemError) {
                    switch try answer(of: server, to: query, until: min(now + servers.timeout, end))
                    {
                    case .texts(let texts): return texts
                    case .noSuchName: return []
                    case .failed(let code): reason = "\(server) reports the error \(code)"
                    case .malformed: reason = "the answer of \(server) is malformed"
                    case .truncated: reason = "the answer of \(server) is truncated"
                    case nil: reason = "no answer from \(server)"
                    }
                } catch {
                    reason = "\(error)"
                }
            }
        }
        throw NameLookup.Failure(host: name, reason: reason)
    }

    /// The answer of one server: over UDP, or over TCP if the answer does not fit a datagram. Nil if no
    /// answer arrives in time.
    private static func answer(
        of server: SocketAddress, to query: DNSQuery, until end: MonotonicInstant
    ) throws(SystemError) -> DNSAnswer? {
        let answer = try datagramAnswer(of: server, to: query, until: end)
        guard answer == .truncated else { return answer }
        return try streamAnswer(of: server, to: query, until: end)
    }
}

// MARK: - UDP

extension TextLookup {
    /// The size of the buffer for a datagram. The query announces no larger size, so a server sends at most
    /// 512 bytes (RFC 1035 §4.2.1).
    private static let datagramByteCount = 4_096

    private static func datagramAnswer(
        of server: SocketAddress, to query: DNSQuery, until end: MonotonicInstant
    ) throws(SystemError) -> DNSAnswer? {
        // The socket is connected, so the system chooses a random port, and drops datagrams from other
        // addresses.
        let socket = try Socket.forDatagrams(to: server)
        _ = try socket.startConnecting(to: server)
        guard try socket.sendNow(query.bytes[...]) == query.bytes.count else { return nil }
        while socket.wait(for: .reading, until: end) {
            guard let bytes = try socket.receiveNow(upTo: datagramByteCount) else { continue }
            // A datagram that does not match the query may be forged. It is ignored, and the true answer
            // can still arrive.
            if let answer = DNSAnswer(bytes, to: query) { return answer }
        }
        return nil
    }
}

// MARK: - TCP

extension TextLookup {
    private static func streamAnswer(
        of server: SocketAddress, to query: DNSQuery, until end: MonotonicInstant
    ) throws(SystemError) -> DNSAnswer? {
        let socket = try Socket(for: server)
        if try socket.startConnecting(to: server) == .inProgress {
            guard socket.wait(for: .writing, until: end) else { return nil }
            try socket.finishConnecting(to: server)
        }
        // RFC 1035 §4.2.2: a length of two bytes before each message.
        let bytes = query.bytes
        var unsent = ([UInt8(bytes.count >> 8), UInt8(bytes.count & 0xff)] + bytes)[...]
        while !unsent.isEmpty {
            guard socket.wait(for: .writing, until: end) else { return nil }
            unsent = unsent.dropFirst(try socket.sendNow(unsent))
        }
        var received: [UInt8] = []
        while true {
            if received.count >= 2 {
                let byteCount = Int(received[0]) << 8 | Int(received[1])
                if received.count - 2 >= byteCount {
                    let message = Array(received[2..<(2 + byteCount)])
                    return DNSAnswer(message, to: query) ?? .malformed
                }
            }
            guard socket.wait(for: .reading, until: end) else { return nil }
            guard let more = try socket.receiveNow(upTo: 1 << 16) else { continue }
            guard !more.isEmpty else { return .malformed }
            received += more
        }
    }
}

// MARK: - System calls

extension Socket {
    fileprivate enum Readiness { case reading, writing }

    fileprivate static func forDatagrams(
        to address: SocketAddress
    ) throws(SystemError) -> Socket {
        let type = swiftlet_sock_datagram | swiftlet_sock_birth_flags
        let descriptor = socket(address.systemFamily, type, 0)
        guard descriptor >= 0 else { throw .current("socket", "\(address)") }
        let made = Socket(adopting: descriptor)
        try made.prepareWhereBirthFlagsAreMissing()
        return made
    }

    /// Blocks until the socket is ready, or has failed. Returns false if `end` passes first.
    fileprivate func wait(for direction: Readiness, until end: MonotonicInstant) -> Bool {
        while true {
            let rest = MonotonicInstant.now.duration(to: end)
            guard rest > .zero else { return false }
            let milliseconds = CInt(clamping: Int(rest / .milliseconds(1)) + 1)
            var entry = pollfd(
                fd: descriptor, events: Int16(direction == .reading ? POLLIN : POLLOUT), revents: 0)
            // One entry, which the system reads and writes.
            let status = unsafe poll(&entry, 1, milliseconds)
            if status > 0 { return true }
            guard status == 0 || errno == EINTR else { return false }
        }
    }

    /// Sends once. Returns the number of bytes that the system has accepted.
    fileprivate func sendNow(_ bytes: ArraySlice<UInt8>) throws(SystemError) -> Int {
        let count = unsafe bytes.withUnsafeBytes { bytes in
            unsafe send(descriptor, bytes.baseAddress, bytes.count, swiftlet_send_flags)
        }
        if count >= 0 { return count }
        let code = errno
        guard code == EAGAIN || code == EINTR else {
            throw SystemError("send", "", code: code)
        }
        return 0
    }

    /// Receives once. Empty at the end of a stream. Nil if no bytes are available now.
    fileprivate func receiveNow(upTo byteCount: Int) throws(SystemError) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: byteCount)
        let count = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe recv(descriptor, buffer.baseAddress, buffer.count, 0)
        }
        let code = errno
        if count >= 0 { return Array(bytes[..<count]) }
        guard code == EAGAIN || code == EINTR else {
            throw SystemError("read", "", code: code)
        }
        return nil
    }
}
