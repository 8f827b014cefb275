// fuzz-modules: Transport
// fuzz-with: Sources/Balancing/DNS/DNSQuery.swift Sources/Balancing/DNS/DNSAnswer.swift

// A libFuzzer target for answers of name servers; `Tests/Fuzz/run` builds it.

@testable import SwiftletTransport

/// Reads the input as the records after the question of a query, and as a whole message.
///
/// libFuzzer keeps `bytes` alive for this call, and `count` bounds them.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDNS(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    DNSFuzz.run(unsafe Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}

enum DNSFuzz {
    static func run(_ input: [UInt8]) {
        guard let query = DNSQuery(id: 0, textsOf: "_grpc_config.a.test") else {
            preconditionFailure("the name is legal")
        }
        _ = DNSAnswer(input, to: query)
        var message = query.bytes
        message[2] = 0x80
        message[7] = input.first ?? 0
        message += input.dropFirst()
        guard case .texts(let texts)? = DNSAnswer(message, to: query) else { return }
        // Texts do not overlap in the message, so their total size is at most that of the message.
        precondition(texts.reduce(0) { $0 + $1.count } <= message.count)
    }
}
