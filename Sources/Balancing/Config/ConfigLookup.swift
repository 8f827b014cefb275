import SwiftletCore
import SwiftletTransport
import Synchronization

/// Looks up the service config of a name in DNS (proposal A2).
struct ConfigLookup: ServiceConfigLookup {
    /// Nil if the name has no config for this client.
    typealias Answer = Result<ServiceConfig?, RPCError>

    private let host: String
    /// The name servers to ask; nil asks those of the system.
    private let servers: NameServers?
    private let timeLimit: Duration
    private let client: ServiceConfigChoices.Client

    /// Chosen once for the process. A resolver is made whenever a channel leaves idle mode, and a client must
    /// not change to another choice then.
    private static let percentile = Int.random(in: 0..<100)

    init(host: String, servers: NameServers?, timeLimit: Duration) {
        self.host = host
        self.servers = servers
        self.timeLimit = timeLimit
        client = ServiceConfigChoices.Client(
            hostName: HostName.current, percentile: Self.percentile)
    }

    /// The look-ups of all channels. While no name server answers, each one blocks its thread for long.
    private static let threads = BlockingWork("swiftlet-config", maxThreadCount: 64)

    /// Runs on another thread, because a look-up blocks. Calls `receive` once, unless the look-up is not
    /// needed any more when a thread is free.
    func start(
        isNeeded: @escaping @Sendable () -> Bool,
        _ receive: @escaping @Sendable (Answer) -> Void
    ) {
        Self.threads.run { hasThread in
            guard isNeeded() else { return }
            receive(
                hasThread ? answer() : .failure(error("the system cannot start a thread")))
        }
    }

    private func answer() -> Answer {
        do throws(NameLookup.Failure) {
            let texts = try TextLookup.texts(
                of: "_grpc_config.\(host)", from: servers ?? .ofSystem(), timeLimit: timeLimit)
            return choose(texts)
        } catch {
            return .failure(self.error("\(error)"))
        }
    }

    private func choose(_ texts: [[UInt8]]) -> Answer {
        do throws(RPCError) {
            return .success(try ServiceConfigChoices(texts: texts).config(for: client))
        } catch {
            return .failure(self.error(error.message))
        }
    }

    private func error(_ cause: String) -> RPCError {
        var error = RPCError(.unavailable, "the service config of \(host) in DNS: \(cause)")
        error.phase = .resolve
        error.mayHaveBeenExecuted = false
        return error
    }
}
