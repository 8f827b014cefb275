// fuzz-modules: Transport

// A libFuzzer target for a client's TLS session. The records of a real server arrive cut, changed, repeated,
// omitted and mixed with others. `Tests/Fuzz/run` builds it.

@testable import SwiftletTransport

/// Runs one input as a script: its bytes determine the changes of the records.
///
/// libFuzzer keeps `bytes` alive for this call, and `count` bounds them.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTLS(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var script = TLSFuzz(unsafe Array(UnsafeBufferPointer(start: bytes, count: count)))
    script.run()
    return 0
}

struct TLSFuzz: ~Copyable {
    private let script: [UInt8]
    private var position = 0
    private let client: any TLSSession
    private let server: OpenSSLSession
    private var toClient: [UInt8] = []
    private var atClient = ReceiveBuffer()
    private var atServer = ReceiveBuffer()
    private var plaintext = ReceiveBuffer()
    private var discarded = ReceiveBuffer()
    private var isClientOpen = false
    private var clientFailure: TLSError?
    private var quietCount = 0

    init(_ script: [UInt8]) {
        self.script = script
        let version = (script.first ?? 0) & 1
        do throws(TLSError) {
            client = try Self.clients[Int(version)].get().makeSession(host: "localhost")
            server = try Self.server.get().makeServerSession()
        } catch {
            fatalError("\(error)")
        }
        position = 1
        // Unless this bit is set, the handshake is completed here, so that the fuzzer need not find it.
        if (script.first ?? 0) & 2 == 0 { shakeHands() }
    }
}

extension TLSFuzz {
    mutating func run() {
        while let action = next() { act(action) }
        deliver(toClient.count)
        stepClient()
    }

    private mutating func act(_ action: UInt8) {
        switch action & 15 {
        case 0, 1: stepClient()
        case 2, 3: stepServer()
        case 4: deliver(Int(next() ?? 1))
        case 5: deliver(toClient.count)
        case 6, 7:
            guard !toClient.isEmpty, let place = next() else { return }
            toClient[Int(place) % toClient.count] ^= 1 << (action >> 5)
        case 8: toClient += toClient.prefix(Int(next() ?? 1))
        case 9: toClient.removeFirst(min(toClient.count, Int(next() ?? 1)))
        case 10: toClient += take(Int(action >> 4))
        case 11:
            // A record with a complete header and any content.
            let content = take(Int(next() ?? 0))
            toClient += [20 + action >> 6, 3, 3, 0, UInt8(content.count)] + content
        case 12, 13: sendFromServer(Int(next() ?? 1) << (action >> 4 & 7))
        case 14:
            var list = GatherList()
            for _ in 0..<1 + action >> 4 { _ = server.updateKeys(sending: &list) }
            collect(&list)
        default:
            var list = GatherList()
            if action & 16 == 0 { server.close(sending: &list) }
            collect(&list)
        }
    }

    private mutating func shakeHands() {
        for _ in 0..<4 {
            stepClient()
            stepServer()
            deliver(toClient.count)
        }
    }

    private mutating func stepClient() {
        var ciphertext = GatherList()
        let before = (unread: atClient.count, plaintext: plaintext.count)
        do throws(TLSError) {
            if !isClientOpen {
                isClientOpen = try client.handshake(&atClient, sending: &ciphertext) == .done
            } else {
                let outcome = try client.read(&atClient, into: &plaintext, sending: &ciphertext)
                check(outcome, added: plaintext.count - before.plaintext)
            }
            precondition(clientFailure == nil, "a session that failed goes on")
        } catch {
            precondition(clientFailure == nil || clientFailure == error)
            clientFailure = error
        }
        precondition(atClient.count <= before.unread)
        if plaintext.isFull { plaintext.consume(plaintext.count) }
        var bytes: [UInt8] = []
        ciphertext.moveFirst(ciphertext.count, to: &bytes)
        _ = atServer.append(copying: bytes.span)
    }

    private mutating func check(_ outcome: TLSReadOutcome, added: Int) {
        switch outcome {
        case .bytes(let count):
            precondition(count > 0 && count == added)
            quietCount = 0
        case .withoutContent:
            quietCount += 1
            precondition(added == 0 && quietCount <= Limits.quietRecordCount)
        case .needsMore: precondition(added == 0)
        case .bufferFull: precondition(plaintext.isFull)
        case .endOfStream: break
        }
    }

    private mutating func stepServer() {
        var ciphertext = GatherList()
        if (try? server.handshake(&atServer, sending: &ciphertext)) == .done {
            _ = try? server.read(&atServer, into: &discarded, sending: &ciphertext)
            discarded.consume(discarded.count)
        }
        collect(&ciphertext)
    }

    private mutating func sendFromServer(_ count: Int) {
        var ciphertext = GatherList()
        guard (try? server.handshake(&atServer, sending: &ciphertext)) == .done else { return }
        var list = GatherList()
        list.append(referencing: [UInt8](repeating: 7, count: count))
        try? server.write(&list, sending: &ciphertext)
        collect(&ciphertext)
    }

    private mutating func collect(_ ciphertext: inout GatherList) {
        ciphertext.moveFirst(ciphertext.count, to: &toClient)
    }

    private mutating func deliver(_ count: Int) {
        let taken = atClient.append(copying: Array(toClient.prefix(count)).span)
        toClient.removeFirst(taken)
    }
}

// MARK: - The script

extension TLSFuzz {
    private static let clients = [TLSConfiguration.Version.tls12, .tls13].map { version in
        Result { () throws(TLSError) in
            var configuration = TLSConfiguration(role: .client)
            configuration.trust = .authorities(.file("Tests/Certificates/ca.pem"))
            configuration.maximumVersion = version
            return try OpenSSLContext(configuration)
        }
    }

    private static let server = Result { () throws(TLSError) in
        var configuration = TLSConfiguration(role: .server)
        configuration.identity = .init(
            certificates: .file("Tests/Certificates/server.pem"),
            privateKey: .file("Tests/Certificates/server.key"))
        return try OpenSSLContext(configuration)
    }

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
}
