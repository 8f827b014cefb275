/// A ``TLSSession`` that uses OpenSSL.
///
/// Unchecked: its owner uses it on one thread at a time.
@safe
package final class OpenSSLSession: TLSSession, @unchecked Sendable {
    private enum Phase {
        case handshaking
        case open
        /// The peer sent close_notify.
        case ended
        /// OpenSSL allows no further step.
        case failed(TLSError)
    }

    /// The index of the SSL object's application data.
    static var dataIndex: CInt { 0 }

    /// The most plaintext that one record holds (RFC 8446 §5.1).
    private static var recordByteCount: Int { 16_384 }

    let context: OpenSSLContext
    /// The identity that is sent as SNI, and that the peer's certificate must have if its names are verified. Nil
    /// on servers.
    let identity: ServerIdentity?
    let library: OpenSSLLibrary
    /// Used only in this type, on one thread at a time.
    let ssl: OpaquePointer

    private var phase = Phase.handshaking
    /// The ALPN protocols that this session offers. Nil if it offers those of the configuration.
    private var offeredProtocols: [String]?
    /// Why the peer's certificate was refused during the handshake.
    var refusal: TLSError?
    /// Whether the server asked for a certificate of this client, which has none.
    var lacksCertificate = false
    /// The peer's bytes that may be read during this step. The caller of the step owns them.
    private var incoming = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    /// Whether OpenSSL has asked for more bytes than `incoming` contains during this step.
    private var isStarved = false
    private var records = TLSRecordFeed()
    /// The peer's bytes that the handshake has used.
    private var handshakeByteCount = 0
    private var outgoing = GatherList()
    /// Small pieces that go into one record.
    private var record: [UInt8] = []

    init(_ context: OpenSSLContext, _ identity: ServerIdentity?) throws(TLSError) {
        let library = context.library
        guard let ssl = unsafe context.makeSSL() else {
            throw TLSError(.configuration, "OpenSSL made no session: \(library.reason())")
        }
        self.context = context
        self.library = library
        unsafe self.ssl = unsafe ssl
        self.identity = identity
        // From here on, `deinit` frees the SSL object and its pipe.
        guard let pipe = unsafe OpenSSLPipe.make(for: self, library) else {
            throw TLSError(.configuration, "OpenSSL made no session: \(library.reason())")
        }
        unsafe library.sslSetBio(ssl, pipe, pipe)
        let pointer = unsafe Unmanaged.passUnretained(self).toOpaque()
        guard unsafe library.sslSetExData(ssl, Self.dataIndex, pointer) == 1 else {
            throw TLSError(.configuration, "OpenSSL made no session: \(library.reason())")
        }
        if context.configuration.role == .server {
            unsafe library.sslSetAcceptState(ssl)
        } else {
            try setIdentity()
            unsafe library.sslSetConnectState(ssl)
        }
    }

    deinit {
        switch phase {
        case .open, .ended:
            // Without these flags, SSL_free would make the session not resumable if the connection
            // ended without close_notify.
            unsafe library.sslSetShutdown(
                ssl, OpenSSL.SSL_SENT_SHUTDOWN | OpenSSL.SSL_RECEIVED_SHUTDOWN)
        // RFC 5246 §7.2.2: a session must not be resumed after a failure.
        case .handshaking, .failed: break
        }
        unsafe library.sslFree(ssl)
    }
}

// MARK: - Bytes of the pipe

extension OpenSSLSession {
    func takeIncoming(_ room: UnsafeMutableRawBufferPointer) -> Int {
        let count = unsafe min(room.count, incoming.count)
        guard count > 0 else {
            isStarved = true
            return 0
        }
        // Both sides have at least `count` bytes.
        unsafe room.copyMemory(from: UnsafeRawBufferPointer(rebasing: incoming[..<count]))
        unsafe incoming = unsafe UnsafeRawBufferPointer(rebasing: incoming[count...])
        return count
    }

    func putOutgoing(_ bytes: UnsafeRawBufferPointer) {
        unsafe outgoing.tail.append(contentsOf: bytes)
    }

    private struct Step {
        /// The value that OpenSSL returned.
        var result: CInt = 0
        /// The result of SSL_get_error if the step failed.
        var error = OpenSSL.SSL_ERROR_NONE
        /// How many received bytes the step used.
        var byteCount = 0
    }

    /// Calls OpenSSL once. The pipe may read one record of `received` during the call. The thread's queue of
    /// errors must be empty, and is empty after a step that succeeds.
    private func step(_ received: inout ReceiveBuffer, _ call: () -> CInt) -> Step {
        var step = Step()
        isStarved = false
        step.byteCount = received.withUnread { bytes in
            let loan = records.loan(of: bytes)
            return unsafe bytes.extracting(first: loan).withUnsafeBytes { bytes in
                unsafe incoming = unsafe bytes
                step.result = call()
                if step.result <= 0 {
                    step.error = unsafe library.sslGetError(ssl, step.result)
                }
                let left = unsafe incoming.count
                // The bytes are valid only up to here.
                unsafe incoming = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
                return loan - left
            }
        }
        records.use(step.byteCount)
        received.consume(step.byteCount)
        return step
    }

    private func fail(_ error: TLSError) -> TLSError {
        phase = .failed(error)
        return error
    }
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
        defer { ciphertext.append(moving: &outgoing) }
        while true {
            library.errClearError()
            let step = step(&received) { unsafe library.sslDoHandshake(ssl) }
            if step.result == 1 {
                try checkProtocol()
                try checkPinnedKeys()
                phase = .open
                return .done
            }
            guard step.error == OpenSSL.SSL_ERROR_WANT_READ else {
                throw fail(refusal ?? explained(TLSError(handshake: library.reason())))
            }
            handshakeByteCount += step.byteCount
            guard handshakeByteCount <= Limits.handshakeByteCount else {
                throw fail(
                    TLSError(
                        .handshake,
                        "the peer's part of the handshake is larger than \(Limits.handshakeByteCount >> 10) KiB"
                    ))
            }
            if step.byteCount == 0 { return .needsMore }
        }
    }

    /// Offers `protocols` instead of the configuration's. The server may select none of them.
    func offer(_ protocols: [String]) throws(TLSError) {
        let list = try TLSConfiguration.encode(protocols)
        // The list is copied. Zero is success here.
        let result = unsafe list.withUnsafeBufferPointer { buffer in
            unsafe library.sslSetAlpnProtos(ssl, buffer.baseAddress, CUnsignedInt(buffer.count))
        }
        guard result == 0 else {
            throw TLSError(
                .configuration,
                "OpenSSL refuses the list of application protocols (ALPN): \(library.reason())")
        }
        offeredProtocols = protocols
    }

    private func checkProtocol() throws(TLSError) {
        let configuration = context.configuration
        let offer = ProtocolOffer(
            offeredProtocols ?? configuration.applicationProtocols,
            isRequired: offeredProtocols == nil && configuration.requiresApplicationProtocol)
        if let refusal = offer.refusal(of: negotiatedProtocol) { throw fail(refusal) }
    }

    private func checkPinnedKeys() throws(TLSError) {
        let pinned = context.configuration.pinnedKeyDigests
        guard !pinned.isEmpty else { return }
        let digests = keyDigests
        guard pinned.isDisjoint(with: digests) else { return }
        let list = digests.map { digest in
            "sha256/" + digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
        throw fail(
            TLSError(
                .certificate,
                "no public key of the peer's chain is pinned: \(list.joined(separator: ", "))"))
    }

    package func read(
        _ received: inout ReceiveBuffer, into plaintext: inout ReceiveBuffer,
        sending ciphertext: inout GatherList
    ) throws(TLSError) -> TLSReadOutcome {
        // Reading also produces answers, such as to a key update.
        defer { ciphertext.append(moving: &outgoing) }
        switch phase {
        case .open: break
        case .ended: return .endOfStream
        case .handshaking: return .needsMore
        case .failed(let error): throw error
        }
        var total = 0
        library.errClearError()
        while !plaintext.isFull {
            var step = Step()
            let count = unsafe plaintext.fill { room in
                step = self.step(&received) {
                    // SSL_read writes at most the size of the room.
                    unsafe library.sslRead(ssl, room.baseAddress, CInt(clamping: room.count))
                }
                return max(0, Int(step.result))
            }
            total += count
            if count > 0 {
                records.noteContent()
                continue
            }
            switch step.error {
            case OpenSSL.SSL_ERROR_WANT_READ:
                if step.byteCount > 0, !records.isBetweenRecords {
                    library.errClearError()
                    continue
                }
                let isQuiet = step.byteCount > 0 || !isStarved
                if isQuiet, !records.noteQuiet() {
                    return try failRead(Self.tooQuiet, after: total)
                }
                if total > 0 { return .bytes(total) }
                return isQuiet ? .withoutContent : .needsMore
            case OpenSSL.SSL_ERROR_ZERO_RETURN:
                phase = .ended
                return .endOfStream
            default: return try failRead(connectionFailure(), after: total)
            }
        }
        return .bufferFull
    }

    private static var tooQuiet: TLSError {
        TLSError(
            .connection,
            "more than \(Limits.quietRecordCount) records in a row carried no application data")
    }

    /// Returns the bytes that were read before the failure. The next read reports the failure.
    private func failRead(
        _ error: TLSError, after byteCount: Int
    ) throws(TLSError) -> TLSReadOutcome {
        let failure = fail(error)
        guard byteCount > 0 else { throw failure }
        return .bytes(byteCount)
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
            let direct = plaintext.withFirstPiece { bytes in
                bytes.count >= Self.recordByteCount ? encrypt(bytes) : nil
            }
            if let direct, let count = direct {
                guard count > 0 else { throw fail(connectionFailure()) }
                plaintext.removeFirst(count)
                continue
            }
            // A frame's header and its payload share a record: each record costs about 30 bytes and one
            // call of the cipher.
            record.removeAll(keepingCapacity: true)
            plaintext.moveFirst(Self.recordByteCount, to: &record)
            guard encrypt(record.contiguous.span) == record.count else {
                throw fail(connectionFailure())
            }
        }
    }

    /// Returns how many bytes are in the record. Zero is a failure, because the pipe accepts everything.
    private func encrypt(_ bytes: Span<UInt8>) -> Int {
        let count = min(bytes.count, Self.recordByteCount)
        return unsafe bytes.withUnsafeBytes { bytes in
            library.errClearError()
            return unsafe max(0, Int(library.sslWrite(ssl, bytes.baseAddress, CInt(count))))
        }
    }

    private func connectionFailure() -> TLSError {
        let reason = library.reason()
        if let refusal { return refusal }
        // With TLS 1.3, a server refuses a client's certificate after the client's handshake is complete.
        let failure = explained(TLSError(handshake: reason))
        return failure.kind == .handshake
            ? TLSError(.connection, failure.message) : failure
    }

    /// The error with the likely reason of a server that ends the handshake: with TLS 1.2, its alert does not name it.
    private func explained(_ error: TLSError) -> TLSError {
        guard lacksCertificate, error.kind == .handshake || error.kind == .truncated else {
            return error
        }
        return TLSError(
            error.kind,
            "\(error.message); the server asked for a client certificate, and none is configured")
    }

    /// Changes the keys for sending, and sends KeyUpdate (RFC 8446 §4.6.3). Returns false before the end of
    /// the handshake, and with TLS 1.2, which has no such message.
    package func updateKeys(sending ciphertext: inout GatherList) -> Bool {
        guard case .open = phase else { return false }
        library.errClearError()
        guard unsafe library.sslKeyUpdate(ssl, OpenSSL.SSL_KEY_UPDATE_NOT_REQUESTED) == 1
        else { return false }
        let isDone = unsafe library.sslDoHandshake(ssl) == 1
        ciphertext.append(moving: &outgoing)
        return isDone
    }

    package func close(sending ciphertext: inout GatherList) {
        switch phase {
        case .open, .ended:
            library.errClearError()
            _ = unsafe library.sslShutdown(ssl)
            ciphertext.append(moving: &outgoing)
        // OpenSSL forbids SSL_shutdown after a failure. During the handshake there is no session to end.
        case .handshaking, .failed: break
        }
    }

    package func endOfTransport() -> TLSError? {
        switch phase {
        case .ended: nil
        case .open:
            TLSError(.truncated, "the connection ended without the peer's close_notify")
        case .handshaking:
            explained(TLSError(.truncated, "the connection ended during the handshake"))
        case .failed(let error): error
        }
    }
}
