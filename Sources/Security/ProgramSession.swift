import SwiftletTransport
import Synchronization

/// Adapts a ``SecuritySession`` of the program to `TLSSession`. Whatever the session does, the connection ends
/// with an error, and after an error the session is not called again.
final class ProgramSession: TLSSession {
    private enum Phase {
        case handshaking
        /// The first step after the handshake may have no bytes: the session may already have them.
        case opening
        case open
        case failed(TLSError)
    }

    private struct State: ~Copyable {
        var phase = Phase.handshaking
        /// Received bytes that the handshake has not consumed.
        var early: [UInt8] = []
        /// Bytes of both directions that the handshake has needed.
        var receivedByteCount = 0
        var sentByteCount = 0
        /// Decrypted bytes that wait for room.
        var opened = GatherList()
    }

    private let session: any SecuritySession
    private let identity: ServerIdentity?
    private let offer: ProtocolOffer
    private let isTLS: Bool
    private let needsCertificates: Bool
    private let verifiesNames: Bool
    private let state = Mutex(State())

    init(
        _ session: any SecuritySession, _ identity: ServerIdentity?, _ offer: ProtocolOffer,
        isTLS: Bool, needsCertificates: Bool, verifiesNames: Bool
    ) {
        self.session = session
        self.identity = identity
        self.offer = offer
        self.isTLS = isTLS
        self.needsCertificates = needsCertificates
        self.verifiesNames = verifiesNames
    }

    var negotiatedProtocol: String? { session.applicationProtocol }
    var peerCertificates: [[UInt8]] { session.peerCertificates }
    var protocolVersion: String { isTLS ? "TLS" : "own" }
    var isResumed: Bool { false }

    func isPeer(_ identity: ServerIdentity) -> Bool {
        !verifiesNames || identity == self.identity || session.isPeer("\(identity)")
    }

    /// Calls the session. Sends what it has appended, also after an error.
    private func step(
        _ kind: TLSError.Kind, sending ciphertext: inout GatherList,
        _ body: (inout [UInt8]) throws -> Void
    ) throws(TLSError) {
        if case .failed(let error) = state.withLock({ $0.phase }) { throw error }
        var output: [UInt8] = []
        defer { ciphertext.append(referencing: output) }
        do {
            try body(&output)
        } catch {
            throw fail(TLSError(kind, ProgramSecurity.text(error)))
        }
    }

    private func fail(_ error: TLSError) -> TLSError {
        state.withLock { $0.phase = .failed(error) }
        return error
    }

    private static func takeAll(_ received: inout ReceiveBuffer) -> [UInt8] {
        let bytes = received.withUnread { [UInt8](copying: $0) }
        received.consume(bytes.count)
        return bytes
    }
}

// MARK: - The handshake

extension ProgramSession {
    func handshake(
        _ received: inout ReceiveBuffer, sending ciphertext: inout GatherList
    ) throws(TLSError) -> TLSHandshakeProgress {
        let arrived = Self.takeAll(&received)
        var bytes = state.withLock { $0.early } + arrived
        var isDone = false
        let sentBefore = ciphertext.count
        try step(.handshake, sending: &ciphertext) { output in
            isDone = try session.handshake(&bytes, sending: &output)
        }
        let sent = ciphertext.count - sentBefore
        let isTooLarge = state.withLock { state in
            state.early = bytes
            state.receivedByteCount += arrived.count
            state.sentByteCount += sent
            return max(state.receivedByteCount, state.sentByteCount) > Limits.handshakeByteCount
        }
        guard isDone else {
            guard !isTooLarge else { throw fail(Self.tooLarge) }
            return .needsMore
        }
        try check()
        state.withLock { $0.phase = .opening }
        return .done
    }

    private static var tooLarge: TLSError {
        TLSError(
            .handshake,
            "the handshake is not complete after \(Limits.handshakeByteCount >> 10) KiB")
    }

    /// What the library demands of a complete handshake.
    private func check() throws(TLSError) {
        if let refusal = offer.refusal(of: session.applicationProtocol) { throw fail(refusal) }
        guard !needsCertificates || !session.peerCertificates.isEmpty else {
            throw fail(
                TLSError(
                    .certificate, "the TLS engine gives the program's verification no certificates")
            )
        }
    }

    /// A program's own security announces no end: HTTP/2 detects a truncated stream itself.
    func endOfTransport() -> TLSError? {
        switch state.withLock({ $0.phase }) {
        case .handshaking: TLSError(.handshake, "the peer closed the connection")
        case .failed(let error): error
        case .opening, .open:
            isTLS && !session.isEnded
                ? TLSError(.truncated, "the connection ended without the peer's close_notify") : nil
        }
    }
}

// MARK: - Messages

extension ProgramSession {
    func read(
        _ received: inout ReceiveBuffer, into plaintext: inout ReceiveBuffer,
        sending ciphertext: inout GatherList
    ) throws(TLSError) -> TLSReadOutcome {
        let (early, isFirst) = state.withLock { state in
            defer { state.early = [] }
            guard case .opening = state.phase else { return (state.early, false) }
            state.phase = .open
            return (state.early, true)
        }
        let bytes = early + Self.takeAll(&received)
        if isFirst || !bytes.isEmpty {
            var opened: [UInt8] = []
            try step(.connection, sending: &ciphertext) { output in
                try session.open(bytes, into: &opened, sending: &output)
            }
            state.withLock { $0.opened.append(referencing: opened) }
        }
        var count = 0
        let isEmpty = state.withLock { state in
            while !plaintext.isFull,
                let added = state.opened.withFirstPiece({ plaintext.append(copying: $0) })
            {
                state.opened.removeFirst(added)
                count += added
            }
            return state.opened.isEmpty
        }
        guard isEmpty else { return .bufferFull }
        if count > 0 { return .bytes(count) }
        return session.isEnded ? .endOfStream : .needsMore
    }

    func write(
        _ plaintext: inout GatherList, sending ciphertext: inout GatherList
    ) throws(TLSError) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(plaintext.count)
        plaintext.moveFirst(plaintext.count, to: &bytes)
        let before = ciphertext.count
        try step(.connection, sending: &ciphertext) { output in
            try session.seal(bytes, sending: &output)
        }
        // Otherwise the peer would wait for the rest, and the call for the peer.
        let sealed = ciphertext.count - before
        guard sealed >= (isTLS ? bytes.count : 1) else {
            throw fail(
                TLSError(.connection, "the session made \(sealed) bytes of \(bytes.count) to send"))
        }
    }

    func close(sending ciphertext: inout GatherList) {
        if case .failed = state.withLock({ $0.phase }) { return }
        var output: [UInt8] = []
        session.close(sending: &output)
        ciphertext.append(referencing: output)
    }
}
