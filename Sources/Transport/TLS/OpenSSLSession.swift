/// A ``TLSSession`` of OpenSSL's.
///
/// Used by one thread at a time, which is its owner's duty; so it may go from one to another.
@safe
package final class OpenSSLSession: TLSSession, @unchecked Sendable {
    private enum Phase {
        case handshaking
        case open
        /// The peer announced its end.
        case ended
        /// OpenSSL allows no further step.
        case failed(TLSError)
    }

    /// The SSL object's first place for data of ours.
    static var dataIndex: CInt { 0 }

    /// The most plaintext that one record holds (RFC 8446 §5.1).
    private static var recordByteCount: Int { 16_384 }

    let context: OpenSSLContext
    /// As it is verified; nil for servers.
    let host: String?

    private let library: OpenSSLLibrary
    private let ssl: OpaquePointer
    private var phase = Phase.handshaking
    /// Why the peer's certificate was refused, during the handshake in which it was.
    private var refusal: TLSError?
    /// What of the peer's may be read during this step; lent by the step's caller.
    private var incoming = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    private var outgoing = GatherList()
    /// Small pieces on their way into one record.
    private var record: [UInt8] = []

    init(_ context: OpenSSLContext, host: String?) throws(TLSError) {
        let library = context.library
        guard let ssl = unsafe context.makeSSL() else {
            throw TLSError(.configuration, "no session: \(library.reason())")
        }
        self.context = context
        self.library = library
        unsafe self.ssl = unsafe ssl
        self.host = host.map(Self.bareHost)
        // From here on `deinit` frees the SSL object, and with it the pipe.
        guard let pipe = unsafe OpenSSLPipe.make(for: self, library) else {
            throw TLSError(.configuration, "no session: \(library.reason())")
        }
        unsafe library.sslSetBio(ssl, pipe, pipe)
        let pointer = unsafe Unmanaged.passUnretained(self).toOpaque()
        guard unsafe library.sslSetExData(ssl, Self.dataIndex, pointer) == 1 else {
            throw TLSError(.configuration, "no session: \(library.reason())")
        }
        if context.configuration.role == .server {
            unsafe library.sslSetAcceptState(ssl)
        } else {
            try setHost()
            unsafe library.sslSetConnectState(ssl)
        }
    }

    deinit {
        switch phase {
        case .open, .ended:
            // Freed without a shutdown, OpenSSL would spoil the tickets of a connection that was
            // merely cut off: SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN.
            unsafe library.sslSetShutdown(ssl, 0x1 | 0x2)
        // RFC 5246 §7.2.2: after a failure a session is not to be resumed.
        case .handshaking, .failed: break
        }
        unsafe library.sslFree(ssl)
    }
}

// MARK: - The client's host

extension OpenSSLSession {
    /// Without the brackets of an IPv6 literal and without the dot that ends a full name.
    private static func bareHost(_ host: String) -> String {
        if host.first == "[", host.last == "]" {
            // The zone is this machine's name for the way there, and no part of the address.
            return String(host.dropFirst().dropLast().prefix { $0 != "%" })
        }
        return host.last == "." ? String(host.dropLast()) : host
    }

    private func setHost() throws(TLSError) {
        guard let host, !host.isEmpty, !host.utf8.contains(0) else {
            guard context.configuration.verification == .none else {
                throw TLSError(.configuration, "there is no host to verify the certificate for")
            }
            return
        }
        let parameters = unsafe library.sslGet0Param(ssl)
        // This tells an address from a name, and a certificate must name the address itself.
        if unsafe library.x509VerifyParamSet1IpAsc(parameters, host) != 1 {
            // X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS (RFC 9525 §6.3).
            unsafe library.x509VerifyParamSetHostflags(parameters, 0x4)
            guard unsafe library.x509VerifyParamSet1Host(parameters, host, 0) == 1 else {
                throw TLSError(.configuration, "'\(host)' is not a host name")
            }
            // RFC 6066 §3: names only, never an address. SSL_CTRL_SET_TLSEXT_HOSTNAME copies it.
            var name = Array(host.utf8) + [0]
            _ = unsafe name.withUnsafeMutableBytes {
                unsafe library.sslCtrl(ssl, 55, 0, $0.baseAddress)
            }
        }
        library.errClearError()
        guard context.configuration.resumesSessions else { return }
        unsafe context.tickets.take(for: host, isReusable: \.isReusable)?.offer(to: ssl)
    }

    /// Called by OpenSSL while it verifies. The first refusal is the one that counts.
    func refuse(_ code: CInt, _ certificate: OpaquePointer?) {
        guard refusal == nil else { return }
        refusal = unsafe library.verificationFailure(code, certificate, host: host)
    }
}

// MARK: - Octets, as the pipe moves them

extension OpenSSLSession {
    func takeIncoming(_ room: UnsafeMutableRawBufferPointer) -> Int {
        let count = unsafe min(room.count, incoming.count)
        guard count > 0 else { return 0 }
        // Both sides are `count` octets long at least.
        unsafe room.copyMemory(from: UnsafeRawBufferPointer(rebasing: incoming[..<count]))
        unsafe incoming = unsafe UnsafeRawBufferPointer(rebasing: incoming[count...])
        return count
    }

    func putOutgoing(_ octets: UnsafeRawBufferPointer) {
        outgoing.appendShared { unsafe $0.append(contentsOf: octets) }
    }

    /// One call of OpenSSL, during which the pipe may read `received`. Answers what OpenSSL did,
    /// and SSL_get_error's word for it.
    private func step(
        _ received: inout ReceiveBuffer, _ call: () -> CInt
    ) -> (result: CInt, error: CInt) {
        var result: CInt = 0
        var error: CInt = 0
        let used = received.withUnread { octets in
            unsafe octets.withUnsafeBytes { bytes in
                unsafe incoming = unsafe bytes
                library.errClearError()
                result = call()
                error = unsafe library.sslGetError(ssl, result)
                let left = unsafe incoming.count
                // The loan ends here.
                unsafe incoming = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
                return bytes.count - left
            }
        }
        received.consume(used)
        return (result, error)
    }

    private func fail(_ error: TLSError) -> TLSError {
        phase = .failed(error)
        return error
    }
}

/// SSL_get_error's words.
private enum Verdict {
    static var wantsRead: CInt { 2 }
    static var ended: CInt { 6 }
}

// MARK: - The steps

extension OpenSSLSession {
    package func handshake(
        _ received: inout ReceiveBuffer, sending ciphertext: inout GatherList
    ) throws(TLSError) -> TLSHandshakeProgress {
        switch phase {
        case .handshaking: break
        case .open, .ended: return .done
        case .failed(let error): throw error
        }
        let outcome = step(&received) { unsafe library.sslDoHandshake(ssl) }
        ciphertext.append(moving: &outgoing)
        if outcome.result == 1 {
            try checkProtocol()
            phase = .open
            return .done
        }
        if outcome.error == Verdict.wantsRead { return .needsMore }
        throw fail(refusal ?? library.handshakeFailure())
    }

    /// RFC 9113 §3.2: over TLS, HTTP/2 is spoken only after ALPN chose it.
    private func checkProtocol() throws(TLSError) {
        let configuration = context.configuration
        let ours = configuration.applicationProtocols
        guard configuration.requiresApplicationProtocol, !ours.isEmpty else { return }
        if let chosen = negotiatedProtocol, ours.contains(chosen) { return }
        let wanted = ours.joined(separator: ", ")
        let found = negotiatedProtocol.map { "chose \($0)" } ?? "chose no protocol"
        throw fail(
            TLSError(.applicationProtocol, "the peer \(found); \(wanted) is needed (ALPN)"))
    }

    package func read(
        _ received: inout ReceiveBuffer, into plaintext: inout ReceiveBuffer,
        sending ciphertext: inout GatherList
    ) throws(TLSError) -> TLSReadOutcome {
        // Answers that the protocol owes (to a key update, say) come from reading, too.
        defer { ciphertext.append(moving: &outgoing) }
        switch phase {
        case .open: break
        case .ended: return .endOfStream
        case .handshaking: return .needsMore
        case .failed(let error): throw error
        }
        var total = 0
        while !plaintext.isFull {
            var error: CInt = 0
            let count = unsafe plaintext.fill { room in
                let outcome = step(&received) {
                    // SSL_read writes no more than the room it is told of.
                    unsafe library.sslRead(ssl, room.baseAddress, CInt(clamping: room.count))
                }
                error = outcome.error
                return max(0, Int(outcome.result))
            }
            total += count
            if count > 0 { continue }
            switch error {
            case Verdict.wantsRead: return total > 0 ? .bytes(total) : .needsMore
            case Verdict.ended:
                phase = .ended
                return .endOfStream
            default:
                let failure = fail(connectionFailure())
                // What came before it counts; the next read says what went wrong.
                guard total > 0 else { throw failure }
                return .bytes(total)
            }
        }
        return .bufferFull
    }

    package func write(
        _ plaintext: inout GatherList, sending ciphertext: inout GatherList
    ) throws(TLSError) {
        defer { ciphertext.append(moving: &outgoing) }
        switch phase {
        case .open, .ended: break
        case .failed(let error): throw error
        case .handshaking: return assertionFailure("writing begins after the handshake")
        }
        while !plaintext.isEmpty {
            let direct = plaintext.withFirstPiece { octets in
                octets.count >= Self.recordByteCount ? encrypt(octets) : nil
            }
            if let direct, let count = direct {
                guard count > 0 else { throw fail(connectionFailure()) }
                plaintext.removeFirst(count)
                continue
            }
            // A frame's header and its payload share a record: each record costs some thirty
            // octets and a pass of the cipher.
            record.removeAll(keepingCapacity: true)
            plaintext.moveFirst(Self.recordByteCount, to: &record)
            guard encrypt(record.span) == record.count else { throw fail(connectionFailure()) }
        }
    }

    /// How many octets went into a record; the pipe takes everything, so none is a failure.
    private func encrypt(_ octets: Span<UInt8>) -> Int {
        let count = min(octets.count, Self.recordByteCount)
        return unsafe octets.withUnsafeBytes { bytes in
            library.errClearError()
            return unsafe max(0, Int(library.sslWrite(ssl, bytes.baseAddress, CInt(count))))
        }
    }

    private func connectionFailure() -> TLSError {
        let reason = library.reason()
        if let refusal { return refusal }
        // Under TLS 1.3 a server refuses a client's certificate after the client is done.
        let failure = library.failure(for: reason)
        return failure.kind == .handshake
            ? TLSError(.connection, failure.message) : failure
    }

    package func close(sending ciphertext: inout GatherList) {
        switch phase {
        case .open, .ended:
            library.errClearError()
            _ = unsafe library.sslShutdown(ssl)
            ciphertext.append(moving: &outgoing)
        // OpenSSL forbids it after a failure, and before the handshake there is nothing to end.
        case .handshaking, .failed: break
        }
    }

    package func endOfTransport() -> TLSError? {
        switch phase {
        case .ended: nil
        case .open:
            TLSError(.truncated, "the connection ended without the peer's close_notify")
        case .handshaking: TLSError(.truncated, "the connection ended during the handshake")
        case .failed(let error): error
        }
    }
}

// MARK: - What was agreed on

extension OpenSSLSession {
    package var negotiatedProtocol: String? {
        var start: UnsafePointer<UInt8>?
        var count: CUnsignedInt = 0
        unsafe library.sslGet0AlpnSelected(ssl, &start, &count)
        guard let start = unsafe start, count > 0 else { return nil }
        // The name belongs to the SSL object and is copied here.
        let octets = unsafe UnsafeBufferPointer(start: start, count: Int(count))
        return unsafe String(decoding: octets, as: UTF8.self)
    }

    package var protocolVersion: String {
        unsafe library.sslGetVersion(ssl).map { unsafe String(cString: $0) } ?? "unknown"
    }

    package var isResumed: Bool { unsafe library.sslSessionReused(ssl) == 1 }

    package var peerCertificates: [[UInt8]] {
        guard let own = unsafe library.sslGet1PeerCertificate(ssl) else { return [] }
        defer { unsafe library.x509Free(own) }
        let first = unsafe library.der(own)
        // The chain is not ours to free. A client's begins with the server's own certificate; a
        // server's leaves out the client's.
        let chain = unsafe library.sslGetPeerCertChain(ssl)
        let count = unsafe chain == nil ? 0 : max(0, library.opensslSkNum(chain))
        let others = (0..<count).map { unsafe library.der(library.opensslSkValue(chain, $0)) }
        return [first] + others.filter { $0 != first }
    }
}
