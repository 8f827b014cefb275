import Foundation
import Swiftlet
import SwiftletSecurity
import Synchronization

/// TLS by GnuTLS: a second library behind the seam that OpenSSL is behind.
final class GnuTLS: TLSEngine {
    static var isHere: Bool { GnuTLSLibrary.shared != nil }

    struct State {
        /// Whether each session that shook hands was resumed.
        var resumed: [Bool] = []
        /// How many sessions have received close_notify.
        var endedCount = 0
    }

    let state = Mutex(State())

    struct Failure: Error, CustomStringConvertible { let description: String }

    func makeContext(_ options: TLSOptions) throws -> any ChannelSecurity {
        guard let library = GnuTLSLibrary.shared else {
            throw Failure(description: "GnuTLS is not installed")
        }
        guard options.keyLogFile == nil else {
            throw Failure(description: "this engine writes no key log")
        }
        return try GnuTLSContext(library, options, self)
    }
}

/// Safe to share: the credentials do not change after `init`.
@safe
final class GnuTLSContext: ChannelSecurity, @unchecked Sendable {
    let library: GnuTLSLibrary
    let engine: GnuTLS
    let verifies: Bool
    let resumes: Bool
    let credentials: GnuTLSLibrary.Object
    let state = Mutex(State())

    struct State {
        var ticket: [UInt8] = []
    }

    init(_ library: GnuTLSLibrary, _ options: TLSOptions, _ engine: GnuTLS) throws {
        self.library = library
        self.engine = engine
        verifies = options.verifiesCertificates
        resumes = options.allowsResumption
        var credentials: GnuTLSLibrary.Object
        unsafe credentials = nil
        _ = unsafe library.allocateCredentials(&credentials)
        unsafe self.credentials = unsafe credentials
        if let roots = options.rootCertificates {
            let count = try unsafe Self.withDatum(roots) {
                unsafe library.setTrust(credentials, $0, 1)
            }
            guard count > 0 else { throw GnuTLS.Failure(description: "no authority can be read") }
        } else {
            _ = unsafe library.setSystemTrust(credentials)
        }
        if let chain = options.certificateChain, let key = options.privateKey {
            let result = try unsafe Self.withDatum(chain) { chain in
                try unsafe Self.withDatum(key) { unsafe library.setKey(credentials, chain, $0, 1) }
            }
            guard result >= 0 else { throw GnuTLS.Failure(description: "the key cannot be read") }
        }
    }

    deinit { unsafe library.freeCredentials(credentials) }

    private static func withDatum(
        _ pem: TLSOptions.PEM, _ body: (UnsafePointer<GnuTLSLibrary.Datum>) throws -> CInt
    ) throws -> CInt {
        var bytes: [UInt8]
        switch pem {
        case .text(let text): bytes = Array(text.utf8)
        case .file(let path): bytes = Array(try Data(contentsOf: URL(filePath: path)))
        }
        return try unsafe bytes.withUnsafeMutableBufferPointer { bytes in
            let datum = unsafe GnuTLSLibrary.Datum(bytes.baseAddress, bytes.count)
            return try unsafe withUnsafePointer(to: datum, body)
        }
    }

    func makeSession(_ context: SecurityContext) throws -> any SecuritySession {
        guard case .client(let host) = context.side else {
            throw GnuTLS.Failure(description: "this engine makes clients only")
        }
        return try GnuTLSSession(self, host, context.applicationProtocols)
    }
}

/// Unchecked: used by one thread at a time.
@safe
private final class GnuTLSSession: SecuritySession, @unchecked Sendable {
    private enum Code {
        static let again: CInt = -28
        static let fatalAlert: CInt = -12
        static let verification: CInt = -348
    }

    private let context: GnuTLSContext
    private let library: GnuTLSLibrary
    private let session: GnuTLSLibrary.Object
    /// GnuTLS reads the name during the handshake.
    private let host: UnsafeMutablePointer<CChar>?
    /// Bytes that the peer sent and GnuTLS has not read.
    private var incoming: ArraySlice<UInt8> = []
    private var outgoing: [UInt8] = []
    private(set) var isEnded = false

    init(_ context: GnuTLSContext, _ host: String, _ protocols: [String]) throws {
        self.context = context
        library = context.library
        unsafe self.host = unsafe strdup(host)
        var session: GnuTLSLibrary.Object
        unsafe session = nil
        // GNUTLS_CLIENT, GNUTLS_NONBLOCK
        guard unsafe library.`init`(&session, 1 << 1 | 1 << 3) == 0 else {
            throw GnuTLS.Failure(description: "GnuTLS made no session")
        }
        unsafe self.session = unsafe session
        _ = unsafe library.setPriority(session, "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2", nil)
        _ = unsafe library.setCredentials(session, 1, context.credentials)
        let isAddress = host.contains(":") || host.allSatisfy { $0.isNumber || $0 == "." }
        if !isAddress { _ = unsafe library.setServerName(session, 1, host, host.utf8.count) }
        if context.verifies { unsafe library.setVerification(session, self.host, 0) }
        offer(protocols)
        setTransport()
        guard context.resumes else { return }
        let ticket = context.state.withLock { state in
            defer { state.ticket = [] }
            return state.ticket
        }
        if !ticket.isEmpty {
            _ = unsafe ticket.withUnsafeBytes {
                unsafe library.setTicket(session, $0.baseAddress, $0.count)
            }
        }
    }

    deinit {
        unsafe library.`deinit`(session)
        unsafe free(host)
    }

    private func offer(_ protocols: [String]) {
        // GnuTLS copies the names.
        let names = protocols.map { Array($0.utf8) }
        let data = names.map { name in
            let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: name.count)
            for (index, byte) in name.enumerated() {
                unsafe (copy + index).initialize(to: byte)
            }
            return unsafe GnuTLSLibrary.Datum(copy, name.count)
        }
        unsafe data.withUnsafeBufferPointer { data in
            guard let start = data.baseAddress else { return }
            _ = unsafe library.setProtocols(session, start, CUnsignedInt(data.count), 0)
        }
        for datum in data { unsafe datum.data?.deallocate() }
    }

    /// The pointer is not retained: the functions are called only by methods of this object.
    private func setTransport() {
        unsafe library.setPointer(session, Unmanaged.passUnretained(self).toOpaque())
        unsafe library.setPull(session) { pointer, room, count in
            unsafe GnuTLSSession.of(pointer).pull(room, count)
        }
        unsafe library.setPush(session) { pointer, bytes, count in
            let buffer = unsafe UnsafeRawBufferPointer(start: bytes, count: count)
            unsafe GnuTLSSession.of(pointer).outgoing.append(contentsOf: buffer)
            return count
        }
        unsafe library.setPullTimeout(session) { pointer, _ in
            unsafe GnuTLSSession.of(pointer).incoming.isEmpty ? 0 : 1
        }
    }

    private static func of(_ pointer: UnsafeMutableRawPointer?) -> GnuTLSSession {
        guard let pointer = unsafe pointer else { fatalError("the session was set") }
        return unsafe Unmanaged<GnuTLSSession>.fromOpaque(pointer).takeUnretainedValue()
    }

    private func pull(_ room: UnsafeMutableRawPointer?, _ count: Int) -> Int {
        guard !incoming.isEmpty, let room = unsafe room else {
            unsafe library.setErrno(session, EAGAIN)
            return -1
        }
        let part = incoming.prefix(count)
        // GnuTLS provides `count` bytes.
        let target = unsafe UnsafeMutableRawBufferPointer(start: room, count: count)
        unsafe target.copyBytes(from: part)
        incoming = incoming.dropFirst(part.count)
        return part.count
    }

    private func failure(_ code: CInt) -> GnuTLS.Failure {
        if code == Code.fatalAlert {
            let name = unsafe library.alertName(library.alert(session)).map {
                unsafe String(cString: $0)
            }
            return GnuTLS.Failure(description: "the peer refused: \(name ?? "an alert")")
        }
        if code == Code.verification {
            var text = GnuTLSLibrary.Datum()
            let status = unsafe library.verificationStatus(session)
            _ = unsafe library.printStatus(status, 1, &text, 0)
            defer { unsafe free(text.data) }
            return GnuTLS.Failure(
                description: "certificate refused: \(String(decoding: text.bytes, as: UTF8.self))")
        }
        let text = unsafe library.strerror(code).map { unsafe String(cString: $0) }
        return GnuTLS.Failure(description: text ?? "error \(code)")
    }
}

extension GnuTLSSession {
    func handshake(_ received: inout [UInt8], sending output: inout [UInt8]) throws -> Bool {
        incoming += received
        received = []
        defer { takeOutput(&output) }
        let result = unsafe library.handshake(session)
        if result == Code.again { return false }
        guard result >= 0 else {
            _ = unsafe library.sendAlert(session, result)
            throw failure(result)
        }
        let isResumed = unsafe library.isResumed(session) != 0
        context.engine.state.withLock { $0.resumed.append(isResumed) }
        return true
    }

    func open(
        _ received: [UInt8], into plaintext: inout [UInt8], sending output: inout [UInt8]
    ) throws {
        incoming += received
        defer { takeOutput(&output) }
        var room = [UInt8](repeating: 0, count: 16_384)
        while true {
            let before = incoming.count
            let count = unsafe room.withUnsafeMutableBytes {
                unsafe library.receive(session, $0.baseAddress, $0.count)
            }
            if count > 0 {
                plaintext += room.prefix(count)
            } else if count == 0 {
                if !isEnded { context.engine.state.withLock { $0.endedCount += 1 } }
                isEnded = true
                return
            } else if count == Int(Code.again) {
                // Returned after each ticket, too.
                guard incoming.count < before else { return }
            } else {
                _ = unsafe library.sendAlert(session, CInt(count))
                throw failure(CInt(count))
            }
        }
    }

    func seal(_ plaintext: [UInt8], sending output: inout [UInt8]) throws {
        defer { takeOutput(&output) }
        var rest = plaintext[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe library.send(session, $0.baseAddress, $0.count)
            }
            guard count > 0 else { throw failure(CInt(count)) }
            rest = rest.dropFirst(count)
        }
    }

    func close(sending output: inout [UInt8]) {
        if context.resumes {
            var ticket = GnuTLSLibrary.Datum()
            if unsafe library.ticket(session, &ticket) == 0 {
                let bytes = ticket.bytes
                context.state.withLock { $0.ticket = bytes }
                unsafe free(ticket.data)
            }
        }
        _ = unsafe library.bye(session, 1)
        takeOutput(&output)
    }

    private func takeOutput(_ output: inout [UInt8]) {
        output += outgoing
        outgoing = []
    }

    var applicationProtocol: String? {
        var name = GnuTLSLibrary.Datum()
        guard unsafe library.selectedProtocol(session, &name) == 0 else { return nil }
        return String(decoding: name.bytes, as: UTF8.self)
    }

    var peerCertificates: [[UInt8]] {
        var count: CUnsignedInt = 0
        // The memory is an array of C's structure.
        let start = unsafe library.peers(session, &count)?
            .assumingMemoryBound(to: GnuTLSLibrary.Datum.self)
        let list = unsafe UnsafeBufferPointer(start: start, count: Int(count))
        return unsafe list.map { $0.bytes }
    }

    func isPeer(_ host: String) -> Bool {
        var status: CUnsignedInt = 0
        return unsafe library.verifyPeers(session, host, &status) == 0 && status == 0
    }
}
