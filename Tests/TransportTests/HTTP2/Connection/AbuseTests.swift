import Testing

@testable import SwiftletTransport

@Suite("An engine that receives any bytes")
struct AbuseTests {
    /// Frames whose parts are often valid.
    private static func frame(_ generator: inout SplitMix64) -> [UInt8] {
        let type = UInt8.random(in: 0...10, using: &generator)
        let flags: UInt8 = [0, 1, 4, 5, 8, 0x2d].randomElement(using: &generator) ?? 0
        let stream: UInt32 = [0, 1, 3, 5, 7, 2, 0x7fff_ffff].randomElement(using: &generator) ?? 0
        let sizes = [0, 1, 4, 5, 6, 8, 12, 40, 300]
        var payload = (0..<(sizes.randomElement(using: &generator) ?? 0)).map { _ in
            UInt8.random(in: .min ... .max, using: &generator)
        }
        if type == 1 || type == 9, Bool.random(using: &generator) {
            let blocks = [
                Raw.requestBlock, Raw.responseBlock, Raw.trailersBlock, Raw.interimBlock,
            ]
            payload = blocks.randomElement(using: &generator) ?? []
        }
        return Raw.frame(type, flags, on: stream, payload)
    }

    /// Flips a bit, removes a byte or inserts one, at a random index.
    private static func mutate(_ bytes: inout [UInt8], _ generator: inout SplitMix64) {
        guard let index = bytes.indices.randomElement(using: &generator) else { return }
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 1: bytes.remove(at: index)
        default: bytes.insert(UInt8.random(in: .min ... .max, using: &generator), at: index)
        }
    }

    @Test(
        "does not trap in either role, and keeps its counts", arguments: UInt64(1)...300,
        [Role.client, .server])
    func noise(_ seed: UInt64, _ role: Role) throws {
        var generator = SplitMix64(seed: seed)
        var endpoint = role == .client ? Endpoint.client() : Endpoint.server()
        var handles: [StreamHandle] = []
        var answered = 0
        for _ in 0..<150 {
            if role == .client, handles.count < 4 { try? handles.append(endpoint.open()) }
            var bytes = Self.frame(&generator)
            if Int.random(in: 0..<8, using: &generator) == 0 { Self.mutate(&bytes, &generator) }
            endpoint.receive(bytes, consuming: Bool.random(using: &generator))
            for event in endpoint.takeEvents() {
                guard case .headers(let handle, .initial, _) = event else { continue }
                handles.append(handle)
            }
            if let handle = handles.randomElement(using: &generator) {
                Self.use(&endpoint, handle, role, &generator)
            }
            answered += endpoint.output().count
            #expect(
                endpoint.connection.flow.receiveWindow.held == 0 || endpoint.connection.hasFailed)
            if endpoint.connection.hasFailed { break }
        }
        #expect(answered < 2_000_000)
    }

    private static func use(
        _ endpoint: inout Endpoint, _ handle: StreamHandle, _ role: Role,
        _ generator: inout SplitMix64
    ) {
        switch Int.random(in: 0..<6, using: &generator) {
        case 0, 1:
            let count = Int.random(in: 0...3_000, using: &generator)
            _ = endpoint.connection.sendData(
                [UInt8](repeating: 0, count: count), on: handle, endStream: count % 5 == 0)
        case 2:
            _ = endpoint.connection.sendHeaders(
                nil, .response, on: handle, endStream: role == .client)
        case 3: endpoint.connection.reset(handle, .cancel)
        case 4: endpoint.connection.consumed(handle, by: 1_000_000, now: endpoint.now)
        default:
            endpoint.now = endpoint.now + .milliseconds(100)
            _ = endpoint.connection.poll(now: endpoint.now)
        }
    }

    @Test("keeps no more than one incomplete frame", arguments: UInt64(1)...50)
    func bytes(_ seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for role in [Role.client, .server] {
            var endpoint = Endpoint(.init(role))
            endpoint.receive(
                (0..<500).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
            #expect(endpoint.connection.hasFailed == true)
            #expect(endpoint.connection.streamCount == 0)
        }
    }
}
