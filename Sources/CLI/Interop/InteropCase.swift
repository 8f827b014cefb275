import Swiftlet

/// A case of the interop tests between gRPC's implementations (`doc/interop-test-descriptions.md`
/// of grpc/grpc, and related documents).
struct InteropCase: Sendable {
    typealias Body = @Sendable (InteropServer) async throws -> Void

    /// The server that a case needs.
    enum Peer: Sendable {
        /// A server of `grpc.testing.TestService`.
        case testService
        /// A server that exists only for this case.
        case ownServer
        /// The case cannot be run, for this reason.
        case outOfReach(String)
    }

    var name: String
    var peer: Peer
    /// Whether the case needs about 40 s. `--test_case=all` omits such a case.
    var isLong: Bool
    var body: Body

    init(
        _ name: String, peer: Peer = .testService, isLong: Bool = false, _ body: @escaping Body
    ) {
        self.name = name
        self.peer = peer
        self.isLong = isLong
        self.body = body
    }

    /// Makes a case that cannot be run, for this reason.
    init(_ name: String, because reason: String) {
        self.init(name, peer: .outOfReach(reason)) { _ in }
    }
}

extension InteropCase {
    /// All cases, in the order of the descriptions.
    static let all: [InteropCase] =
        unary + compression + streaming + metadataAndStatus + endings + soaks + negative
        + reconnecting + loadReports + beyond

    /// The cases that cannot be run.
    private static let beyond =
        [InteropCase("cacheable_unary", because: "the client makes no GET requests")]
        + [
            "compute_engine_creds", "jwt_token_creds", "oauth2_auth_token", "per_rpc_creds",
            "google_default_credentials", "compute_engine_channel_credentials",
        ].map { InteropCase($0, because: "it needs an account of Google's cloud") }

    /// The outcome of a case.
    enum Outcome: Equatable, Sendable {
        case passed
        case failed(String)
        /// The server does not serve the case, for this reason.
        case notServed(String)
    }

    func run(against server: InteropServer) async -> Outcome {
        if case .outOfReach(let reason) = peer { return .notServed(reason) }
        do {
            if case .testService = peer {
                try await server.withChannel { client in try await client.checkServed() }
            }
            try await body(server)
            return .passed
        } catch let error as NotServed {
            return .notServed(error.reason)
        } catch let error as CaseFailure {
            return .failed(error.reason)
        } catch {
            return .failed("\(error)")
        }
    }
}

/// The error for an assertion of the description that does not hold.
struct CaseFailure: Error {
    var reason: String
}

/// The error for a case that the server does not serve.
struct NotServed: Error {
    var reason: String
}

/// Runs `calls`. If one of the calls fails with UNIMPLEMENTED, the server does not serve the case.
func served<Result>(_ what: String, _ calls: () async throws -> Result) async throws -> Result {
    do {
        return try await calls()
    } catch let error as RPCError where error.code == .unimplemented {
        throw NotServed(reason: "the server has no \(what)")
    }
}

/// Asserts that `actual` is the value in the description.
func expect<Value: Equatable>(_ what: String, _ actual: Value, is expected: Value) throws {
    guard actual == expected else {
        throw CaseFailure(reason: "\(what) is \(actual), expected \(expected)")
    }
}

/// Asserts that `call` fails with `code`, and returns the error.
@discardableResult
func expectFailure(
    _ what: String, _ code: StatusCode, _ call: () async throws -> Void
) async throws -> RPCError {
    do {
        try await call()
    } catch let error as RPCError {
        try expect("\(what): the status", error.code, is: code)
        return error
    }
    throw CaseFailure(reason: "\(what): the status is OK, expected \(code)")
}
