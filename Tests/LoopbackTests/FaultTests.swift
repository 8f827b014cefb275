import Swiftlet
import SwiftletLoopback
import Testing

@Suite("A fault on demand", .timeLimit(.minutes(1)))
struct FaultTests {
    static let sayHello = "/helloworld.Greeter/SayHello"

    private func outcomes(
        _ faults: [Fault], calls: Int = 1, _ options: CallOptions = .init()
    ) async throws -> ([StatusCode], connections: Int) {
        let server = try LoopbackServer {
            $0.addGreeter()
            $0.faults = faults
        }
        let greeter = Greeter(channel: try Channel(server.target))
        var codes: [StatusCode] = []
        for _ in 0..<calls {
            do throws(RPCError) {
                _ = try await greeter.sayHello(.init(name: "you"), options)
                codes.append(.ok)
            } catch {
                codes.append(error.code)
            }
        }
        return (codes, server.connectionCount)
    }

    static let kinds: [(Fault.Kind, StatusCode, Int)] = [
        (.drop, .unavailable, 2), (.reset(.internalError), .internal, 1),
        (.reset(.enhanceYourCalm), .resourceExhausted, 1), (.reset(.cancel), .cancelled, 1),
        (.contentType("text/html"), .unknown, 1), (.missingTrailers, .unknown, 1),
        (.truncatedMessage, .internal, 1), (.garbage, .unavailable, 2),
        (.dropAfterMessages(1), .unavailable, 2), (.goAway, .ok, 2),
        (.delay(.milliseconds(1)), .ok, 1),
    ]

    @Test("has its outcome, and spares the next call")
    func outcome() async throws {
        for (kind, code, connections) in Self.kinds {
            let (codes, count) = try await outcomes(
                [.on(Self.sayHello, call: 1, kind)], calls: 2)
            #expect(codes == [code, .ok], "\(kind)")
            #expect(count == connections, "\(kind)")
        }
    }

    @Test("that refuses a stream is overcome by sending the call again")
    func refusal() async throws {
        let (codes, _) = try await outcomes([.on(Self.sayHello, call: 1, .refuse)])
        #expect(codes == [.ok])
        let (refused, _) = try await outcomes([.on(Self.sayHello, .refuse)])
        #expect(refused == [.unavailable])
    }

    @Test("that stalls a call ends with its deadline")
    func stall() async throws {
        let (codes, _) = try await outcomes(
            [.always(.stall)], calls: 1, .with { $0.timeout = .milliseconds(20) })
        #expect(codes == [.deadlineExceeded])
    }

    @Test("comes for the calls that are named, and for no other path")
    func numbers() async throws {
        let (codes, _) = try await outcomes(
            [
                .on("/helloworld.Greeter/Other", .drop),
                .on(Self.sayHello, calls: [2, 4], .reset(.internalError)),
            ], calls: 5)
        #expect(codes == [.ok, .internal, .ok, .internal, .ok])
    }

    @Test("by chance is the same for the same seed")
    func chance() async throws {
        let faults = [Fault.randomly(0.5, seed: 42, .reset(.internalError))]
        let (first, _) = try await outcomes(faults, calls: 40)
        let (second, _) = try await outcomes(faults, calls: 40)
        #expect(first == second)
        #expect(first.contains(.ok) && first.contains(.internal))
    }

    @Test("may be set and taken away while the server runs")
    func replacing() async throws {
        let server = try LoopbackServer { $0.addGreeter() }
        let greeter = Greeter(channel: try Channel(server.target))
        _ = try await greeter.sayHello(.init())
        server.setFaults([.always(.reset(.internalError))])
        await #expect(throws: RPCError.self) { try await greeter.sayHello(.init()) }
        server.setFaults([])
        _ = try await greeter.sayHello(.init())
    }

    @Test("in the form of small windows slows an upload down, and breaks nothing")
    func windows() async throws {
        let server = try LoopbackServer {
            $0.addGreeter()
            $0.windowByteCount = 70_000
        }
        let greeter = Greeter(channel: try Channel(server.target))
        let name = String(repeating: "x", count: 300_000)
        #expect(try await greeter.sayHello(.init(name: name)).message == "Hello \(name)")
    }
}
