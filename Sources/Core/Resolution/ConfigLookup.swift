import SwiftletTransport
import Synchronization

/// Looks up the service config of a name in DNS (proposal A2).
struct ConfigLookup: Sendable {
    /// Nil if the name has no config for this client.
    typealias Answer = Result<ServiceConfig?, RPCError>

    private let host: String
    /// The name servers to ask; nil asks those of the system.
    private let servers: NameServers?
    private let timeLimit: Duration
    private let client: ServiceConfigChoices.Client

    init(host: String, servers: NameServers?, timeLimit: Duration) {
        self.host = host
        self.servers = servers
        self.timeLimit = timeLimit
        // Chosen once for each resolver, so that a client does not switch to another choice with
        // every look-up.
        client = ServiceConfigChoices.Client(
            hostName: HostName.current, percentile: .random(in: 0..<100))
    }

    /// Runs on a thread of its own, because a look-up blocks. Calls `receive` once.
    func start(_ receive: @escaping @Sendable (Answer) -> Void) {
        let isStarted = Thread.start("swiftlet-config") { receive(answer()) }
        if !isStarted { receive(.failure(error("the system cannot start a thread"))) }
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
