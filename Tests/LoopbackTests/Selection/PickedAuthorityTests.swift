import Synchronization
import Testing

@testable import Swiftlet
@testable import SwiftletCore
@testable import SwiftletLoopback

@Suite("The authority of a picker (A81)", .timeLimit(.minutes(5)))
struct PickedAuthorityTests {
    private static func options(_ cluster: String, own: String? = nil) -> CallOptions {
        var options = SelectorTests.options(cluster)
        options.authority = own
        return options
    }

    /// Answers with the authority of the request, and refuses the first `refusals` attempts of each call.
    private static func server(
        refusals: Int = 0, seeing: @escaping @Sendable (String) -> Void = { _ in }
    ) throws -> LoopbackServer {
        @Sendable func answer(_ context: ServerContext) throws -> [UInt8] {
            seeing(context.call.request.authority)
            let earlier = Int(context.metadata["grpc-previous-rpc-attempts"] ?? "0") ?? 0
            if earlier < refusals { throw RPCError(.unavailable, "busy") }
            return [UInt8](context.call.request.authority.utf8)
        }
        return try LoopbackServer { server in
            server.unary(SelectorTests.ask) { _, context in try answer(context) }
            server.bidirectional(SelectorTests.talk) { requests, replies, context in
                for try await _ in requests { try await replies.write(try answer(context)) }
            }
        }
    }

    private final class Ends: CallTracker {
        let outcomes = Mutex<[CallOutcome]>([])
        func callEnded(_ outcome: CallOutcome) { outcomes.withLock { $0.append(outcome) } }
    }

    @Test("replaces that of the channel, and is replaced by that of the call")
    func order() async throws {
        let server = try Self.server()
        let ends = Ends()
        let mesh = try Mesh(
            "picked-authority",
            [
                "plain": .init(servers: [server]),
                "first": .init(servers: [server], authority: "first.example"),
                "second": .init(servers: [server], authority: "second.example"),
                "illegal": .init(servers: [server], authority: "a b", tracker: ends),
            ])
        let channel = try mesh.channel()
        for (options, expected) in [
            (Self.options("plain"), "mesh"), (Self.options("first"), "first.example"),
            (Self.options("second"), "second.example"), (Self.options("plain"), "mesh"),
            (Self.options("first", own: "own.example"), "own.example"),
            (Self.options("first"), "first.example"),
        ] {
            let seen = try await channel.unary(SelectorTests.ask, [], options: options)
            #expect(String(decoding: seen, as: UTF8.self) == expected)
        }
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(SelectorTests.ask, [], options: Self.options("illegal"))
        }
        #expect(
            error?.code == .internal && error?.message.contains("the balancing policy") ?? false)
        #expect(error?.mayHaveBeenExecuted == false)
        let outcomes = ends.outcomes.withLock { $0 }
        #expect(outcomes.map(\.code) == [.internal] && outcomes.map(\.wasSent) == [false])
        await channel.close()
    }

    @Test(
        "reaches the server with every attempt of a call, in every form",
        arguments: SelectorTests.Form.allCases)
    func attempts(form: SelectorTests.Form) async throws {
        let seen = Mutex<[String]>([])
        let server = try Self.server(refusals: 2) { authority in
            seen.withLock { $0.append(authority) }
        }
        let mesh = try Mesh(
            "picked-\("\(form)".lowercased())",
            [
                "retried": .init(
                    servers: [server], method: SelectorTests.method(minutes: 3, attempts: 3),
                    authority: "picked.example")
            ])
        let channel = try mesh.channel()
        for (own, expected) in [(nil, "picked.example"), ("own.example", "own.example")] {
            let answer = try await SelectorTests.call(
                form, on: channel, Self.options("retried", own: own))
            #expect(answer.map { String(decoding: $0, as: UTF8.self) } == expected)
            #expect(seen.withLock { $0 } == [expected, expected, expected])
            seen.withLock { $0 = [] }
        }
        await channel.close()
    }

    /// pick_first whose picker is the kind that channels do not ask.
    private struct Addressed: BalancingPolicy {
        var name: String { "addressed_test" }
        func makeBalancer() -> any Balancer { AddressedBalancer() }
    }

    private struct AddressedBalancer: Balancer {
        var child: any Balancer = PickFirst().makeBalancer()

        private mutating func run(
            _ context: inout BalancerContext,
            _ body: (inout any Balancer, inout BalancerContext) -> Void
        ) {
            guard let report = context.reportOf({ body(&child, &$0) }) else { return }
            guard var subchannel = (report.picker as? SinglePicker)?.subchannel else {
                return context.report(report.connectivity, report.picker)
            }
            subchannel.authority = "single.example"
            context.report(report.connectivity, SinglePicker(subchannel))
        }

        mutating func update(
            _ update: BalancerUpdate, _ context: inout BalancerContext
        ) throws(RPCError) {
            let update = BalancerUpdate(endpoints: update.endpoints, policy: PickFirst())
            run(&context) { try? $0.update(update, &$1) }
        }
        mutating func resolverFailed(_ error: RPCError, _ context: inout BalancerContext) {
            run(&context) { $0.resolverFailed(error, &$1) }
        }
        mutating func subchannel(
            _ subchannel: Subchannel, changedTo state: SubchannelState,
            _ context: inout BalancerContext
        ) { run(&context) { $0.subchannel(subchannel, changedTo: state, &$1) } }
        mutating func timeHasCome(_ context: inout BalancerContext) {
            run(&context) { $0.timeHasCome(&$1) }
        }
        mutating func exitIdle(_ context: inout BalancerContext) {
            run(&context) { $0.exitIdle(&$1) }
        }
        mutating func close(_ context: inout BalancerContext) { run(&context) { $0.close(&$1) } }
    }

    @Test("is sent even if the channel has only one connection")
    func onlyConnection() async throws {
        let server = try Self.server()
        var arguments = ChannelArguments()
        arguments.serviceConfig = ServiceConfig(balancing: Addressed())
        let channel = try Channel(server.target, credentials: .insecure, arguments: arguments)
        for _ in 0..<3 {
            let seen = try await channel.unary(SelectorTests.ask, [])
            #expect(String(decoding: seen, as: UTF8.self) == "single.example")
        }
        await channel.close()
    }

    @Test(
        "must be one for which the certificate of the server is valid",
        .enabled(if: TLSLibrary.isHere, "OpenSSL is not installed"))
    func certificate() async throws {
        let server = try SecureCallTests.server("server")
        let mesh = try Mesh(
            "picked-certificate",
            [
                "valid": .init(servers: [server], authority: "a.test.swiftlet.example"),
                "other": .init(servers: [server], authority: "other.example"),
            ])
        var arguments = ChannelArguments()
        arguments.targetNameOverride = "localhost"
        let channel = try mesh.channel(
            arguments, credentials: .tls(try CertificateTests.options()))
        let valid = Self.options("valid")
        #expect(try await channel.unary(HostileTrial.echo, [1], options: valid) == [1])
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(HostileTrial.echo, [1], options: Self.options("other"))
        }
        #expect(error?.code == .unauthenticated)
        #expect(error?.message.contains("'other.example'") ?? false)
        await channel.close()
    }
}
