import SwiftletInterceptors
import SwiftletLoopback
import SwiftletObservation
import Testing

@testable import Swiftlet
@testable import SwiftletCore

/// Fails or drops every call.
private struct Refusing: BalancingPolicy {
    var code: StatusCode
    var drops: Bool
    var name: String { "refusing" }
    func makeBalancer() -> any Balancer { RefusingBalancer(policy: self) }
}

private final class RefusingPicker: Picker {
    private let policy: Refusing

    init(_ policy: Refusing) { self.policy = policy }

    func pick(_ call: borrowing PickInfo) -> Pick {
        let error = RPCError(policy.code, "no such shelf")
        return policy.drops ? .drop(error) : .fail(error)
    }
}

private struct RefusingBalancer: Balancer {
    let policy: Refusing

    mutating func update(
        _ update: BalancerUpdate, _ context: inout BalancerContext
    ) throws(RPCError) { context.report(.ready, RefusingPicker(policy)) }
    mutating func resolverFailed(_ error: RPCError, _ context: inout BalancerContext) {}
    mutating func subchannel(
        _ subchannel: Subchannel, changedTo state: SubchannelState,
        _ context: inout BalancerContext
    ) {}
    mutating func close(_ context: inout BalancerContext) {}
}

/// Fails every call, without or with a task.
private struct Failing: CallCredentials {
    let code: StatusCode
    var allowsInsecureConnections: Bool { true }
    func metadata(for call: CallDescription) async throws(RPCError) -> Metadata {
        throw RPCError(code, "no such shelf")
    }
}

@Suite("A status that is not the server's (A54)", .timeLimit(.minutes(5)))
struct ControlPlaneStatusTests {
    enum Source: CaseIterable { case resolver, serviceConfig, picker, drop, credentials, token }

    private static let applicationCodes: [StatusCode] = [
        .invalidArgument, .notFound, .alreadyExists, .failedPrecondition, .aborted, .outOfRange,
        .dataLoss,
    ]

    private func error(of source: Source, _ code: StatusCode) async throws -> RPCError {
        let failure = RPCError(code, "no such shelf")
        var arguments = ChannelArguments()
        var options = CallOptions()
        var interceptors: [ChannelInterceptor] = []
        let result: ResolverResult
        switch source {
        case .resolver: result = ResolverResult(endpoints: .failure(failure))
        case .serviceConfig:
            result = ResolverResult(endpoints: .success([]), serviceConfig: .failure(failure))
        case .picker, .drop:
            arguments.balancing = Refusing(code: code, drops: source == .drop)
            result = ResolverResult([])
        case .credentials:
            options.credentials = Failing(code: code)
            result = ResolverResult([])
        case .token:
            let token = BearerToken(allowsInsecureConnections: true) { throw failure }
            interceptors = [.all(.refreshing(token))]
            result = ResolverResult([])
        }
        let resolver = PushedResolver(result)
        try Resolvers.register("a54-\(source)-\(code.rawValue)") { _ in resolver }
        let channel = try Channel(
            "a54-\(source)-\(code.rawValue):///x", credentials: .insecure, arguments: arguments,
            interceptors: interceptors)
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(ManyServersTests.whoAmI, [], options: options)
        }
        return try #require(error)
    }

    @Test(
        "is INTERNAL, and names the original, if only an application may send it",
        arguments: Source.allCases)
    func restricted(source: Source) async throws {
        for code in Self.applicationCodes {
            let error = try await error(of: source, code)
            #expect(error.code == .internal)
            #expect(error.message.contains("\(code)") && error.message.contains("no such shelf"))
            #expect(error.origin == .client)
        }
    }

    @Test("is unchanged otherwise", arguments: Source.allCases)
    func others(source: Source) async throws {
        for code in [StatusCode.unavailable, .permissionDenied, .unauthenticated, .unimplemented] {
            let error = try await error(of: source, code)
            #expect(error.code == code)
            #expect(error.message == "no such shelf")
        }
    }
}
