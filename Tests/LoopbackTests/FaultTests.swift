import Swiftlet
import SwiftletLoopback
import Testing

@Suite("A fault on demand", .timeLimit(.minutes(5)))
struct FaultTests {
    static let sayHello = "/helloworld.Greeter/SayHello"

    private func outcomes(
        _ faults: [Fault], calls: Int = 1, _ options: CallOptions = .init()
    ) async throws -> ([StatusCode], connections: Int) {
        let server = try LoopbackServer {
            $0.addGreeter()
            $0.faults = faults
        }
        let greeter = Greeter(channel: try Channel(server.target, credentials: .insecure))
        var codes: [StatusCode] = []
        for _ in 0..<calls {
            do throws(RPCError) {
                _ = try await greeter.sayHello(.init(name: "you"), options: options)
                codes.append(.ok)
            } catch {
                codes.append(error.code)
            }
        }
        return (codes, server.connectionCount)
    }

    static let kinds: [(Fault.Kind, StatusCode, Int)] = [
        (.status(.aborted, "é"), .aborted, 1), (.status(.unavailable), .unavailable, 1),
        (.drop, .unavailable, 2), (.reset(.internalError), .internal, 1),
        (.reset(.enhanceYourCalm), .resourceExhausted, 1), (.reset(.cancel), .cancelled, 1),
        (.contentType("text/html"), .unknown, 1), (.missingTrailers, .unknown, 1),
        (.truncatedMessage, .internal, 1), (.garbage, .unavailable, 2),
        (.dropAfterMessages(1), .unavailable, 2), (.delay(.milliseconds(1)), .ok, 1),
        (.goAway(), .ok, 2), (.goAway(.atOnce(.enhanceYourCalm)), .ok, 2),
        (.goAway(.beforeThisCall), .ok, 2), (.goAway(.thenClose(.internalError)), .unavailable, 2),
        (.dropAfterBytes(0), .unavailable, 2), (.dropAfterBytes(20), .unavailable, 2),
        (.drip(bytes: 16, every: .microseconds(200)), .ok, 1), (.shrinkWindow(to: 3), .ok, 1),
    ]

    @Test("has its outcome, and does not affect the next call")
    func outcome() async throws {
        for (kind, code, connections) in Self.kinds {
            let (codes, count) = try await outcomes(
                [.on(Self.sayHello, call: 1, kind)], calls: 2)
            #expect(codes == [code, .ok], "\(kind)")
            #expect(count == connections, "\(kind)")
        }
    }

    @Test(
        "that drops the connection after messages sends exactly these, whatever the handler does",
        arguments: [(0, 10), (1, 10), (3, 10), (3, 400_000)])
    func exactDrop(_ limit: Int, _ byteCount: Int) async throws {
        let list = Method<[UInt8], [UInt8]>(
            "/a.A/List", .serverStreaming, request: .bytes, reply: .bytes)
        let server = try LoopbackServer { server in
            server.serverStreaming(list) { request, writer, _ in
                for _ in 0..<6 { try await writer.write([UInt8](repeating: 7, count: byteCount)) }
            }
            server.faults = [.always(.dropAfterMessages(limit))]
        }
        for _ in 0..<20 {
            let channel = try Channel(server.target, credentials: .insecure)
            var count = 0
            let error = await #expect(throws: RPCError.self) {
                for try await message in try await channel.serverStreaming(list, [1]) {
                    #expect(message.count == byteCount)
                    count += 1
                }
            }
            #expect(error?.code == .unavailable)
            #expect(count == limit)
        }
    }

    @Test("that refuses a stream causes the call to be sent again")
    func refusal() async throws {
        let (codes, _) = try await outcomes([.on(Self.sayHello, call: 1, .refuse)])
        #expect(codes == [.ok])
        let (refused, _) = try await outcomes([.on(Self.sayHello, .refuse)])
        #expect(refused == [.unavailable])
    }

    @Test("that is a status has its message, and the handler is not called")
    func status() async throws {
        let server = try LoopbackServer { server in
            server.unary(HostileTrial.echo) { _, _ in
                Issue.record("the handler was called")
                return []
            }
            server.faults = [.always(.status(.resourceExhausted, "later"))]
        }
        let error = await #expect(throws: RPCError.self) {
            try await Channel(server.target, credentials: .insecure).unary(HostileTrial.echo, [1])
        }
        #expect(error == RPCError(.resourceExhausted, "later"))
        #expect(error?.origin == .server)
    }

    @Test("that stalls a call lets the call reach its deadline")
    func stall() async throws {
        let (codes, _) = try await outcomes(
            [.always(.stall)], calls: 1, .with { $0.timeout = .milliseconds(20) })
        #expect(codes == [.deadlineExceeded])
    }

    @Test("that delays a call leaves no timer for its deadline")
    func nothingLeft() async throws {
        let (released, continuation) = AsyncStream.makeStream(of: Void.self)
        do {
            let kept = Released(continuation)
            let server = try LoopbackServer { server in
                server.unary(HostileTrial.echo) { request, _ in
                    withExtendedLifetime(kept) { request }
                }
                server.faults = [.always(.delay(.milliseconds(1)))]
            }
            let channel = try Channel(server.target, credentials: .insecure)
            let reply = try await channel.unary(
                HostileTrial.echo, [1], options: .with { $0.timeout = .seconds(600) })
            #expect(reply == [1])
            await channel.close()
            server.shutdown()
        }
        // After the call, nothing retains the server or the captures of its handlers.
        for await _ in released {}
    }

    @Test("that closes the connection fails the call at any byte")
    func everyByte() async throws {
        var firstWhole: Int?
        for count in 0..<160 {
            let (codes, _) = try await outcomes(
                [.on(Self.sayHello, call: 1, .dropAfterBytes(count))])
            if codes[0] == .ok { firstWhole = firstWhole ?? count }
            // A cut after the last byte of the answer does not fail the call.
            #expect(codes[0] == (firstWhole == nil ? .unavailable : .ok), "\(count)")
        }
        #expect(firstWhole.map { $0 > 40 } == true)
    }

    @Test("that sends bytes slowly delays the call, and later calls too")
    func drip() async throws {
        let (codes, connections) = try await withGrowingTimeout(until: { $0.connections > 0 }) {
            try await outcomes(
                [.on(Self.sayHello, call: 1, .drip(bytes: 1, every: .seconds(600)))], calls: 2, $0)
        }
        #expect(codes == [.deadlineExceeded, .deadlineExceeded])
        #expect(connections == 1)
    }

    @Test("that shrinks the window makes requests wait for room, and loses nothing")
    func smallWindow() async throws {
        let server = try LoopbackServer { server in
            server.unary(HostileTrial.echo) { request, _ in request }
            server.faults = [.always(.shrinkWindow(to: 700))]
        }
        let channel = try Channel(server.target, credentials: .insecure)
        for byteCount in [0, 699, 701, 100_000] {
            let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            let reply = try await channel.unary(HostileTrial.echo, bytes)
            #expect(reply == bytes)
        }
    }

    @Test("applies to the named calls, and to no other path")
    func numbers() async throws {
        let (codes, _) = try await outcomes(
            [
                .on("/helloworld.Greeter/SayHelloBidiStream", .drop),
                .on(Self.sayHello, calls: [2, 4], .reset(.internalError)),
            ], calls: 5)
        #expect(codes == [.ok, .internal, .ok, .internal, .ok])
    }

    @Test("hides later faults that fit the same call")
    func first() async throws {
        let (codes, _) = try await outcomes(
            [
                .on(Self.sayHello, call: 2, .status(.aborted)),
                .always(.status(.dataLoss)),
                .on(Self.sayHello, .status(.outOfRange)),
            ], calls: 3)
        #expect(codes == [.dataLoss, .aborted, .dataLoss])
    }

    @Test("on a path that no method has is refused, at the start and later")
    func unknownPath() throws {
        let fault = Fault.on("/helloworld.Greeter/sayHello", .drop)
        let error = #expect(throws: RPCError.self) {
            _ = try LoopbackServer {
                $0.addGreeter()
                $0.faults = [fault]
            }
        }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains("/helloworld.Greeter/sayHello") == true)
        let server = try LoopbackServer { server in
            server.addGreeter()
            server.http("/rpc") { HTTPReply(contentType: "text/plain", body: $0.body) }
        }
        #expect(throws: RPCError.self) { try server.setFaults([fault]) }
        #expect(server.unusedFaults.isEmpty)
        try server.setFaults([.on("/rpc", .drop), .on(Self.sayHello, .drop)])
    }

    @Test("that did not apply to any call is listed")
    func unused() async throws {
        let server = try LoopbackServer {
            $0.addGreeter()
            $0.faults = [
                .on(Self.sayHello, call: 1, .delay(.zero)), .on(Self.sayHello, .delay(.zero)),
                .on(Self.sayHello, call: 3, .drop), .randomly(0, seed: 1, .drop),
            ]
        }
        let greeter = Greeter(channel: try server.makeChannel())
        #expect(server.unusedFaults.count == 3)
        _ = try await greeter.sayHello(.init())
        // Only the first matching fault applied, so the second is still unused.
        #expect(server.unusedFaults.count == 2)
        _ = try await greeter.sayHello(.init())
        #expect(
            server.unusedFaults.map(\.description) == ["drop on \(Self.sayHello), calls [3]"])
        try server.setFaults([])
        #expect(server.unusedFaults.isEmpty)
    }

    @Test("that did not apply is written to standard error when the server stops")
    func report() async throws {
        let result = try await #require(
            processExitsWith: .success, observing: [\.standardErrorContent]
        ) {
            let server = try LoopbackServer {
                $0.addGreeter()
                $0.faults = [.on(FaultTests.sayHello, call: 3, .drop)]
            }
            server.shutdown()
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(
            text.contains(
                "the fault 'drop on /helloworld.Greeter/SayHello, calls [3]' did not apply"))
    }

    @Test("at random is the same for the same seed")
    func chance() async throws {
        let faults = [Fault.randomly(0.5, seed: 42, .reset(.internalError))]
        let (first, _) = try await outcomes(faults, calls: 40)
        let (second, _) = try await outcomes(faults, calls: 40)
        #expect(first == second)
        #expect(first.contains(.ok) && first.contains(.internal))
    }

    @Test("may be set and removed while the server runs")
    func replacing() async throws {
        let server = try LoopbackServer { $0.addGreeter() }
        let greeter = Greeter(channel: try Channel(server.target, credentials: .insecure))
        _ = try await greeter.sayHello(.init())
        try server.setFaults([.always(.reset(.internalError))])
        await #expect(throws: RPCError.self) { try await greeter.sayHello(.init()) }
        try server.setFaults([])
        _ = try await greeter.sayHello(.init())
    }

    @Test("with small windows slows an upload down, and breaks nothing")
    func windows() async throws {
        let server = try LoopbackServer {
            $0.addGreeter()
            $0.windowByteCount = 70_000
        }
        let greeter = Greeter(channel: try Channel(server.target, credentials: .insecure))
        let name = String(repeating: "x", count: 300_000)
        #expect(try await greeter.sayHello(.init(name: name)).message == "Hello \(name)")
    }
}
