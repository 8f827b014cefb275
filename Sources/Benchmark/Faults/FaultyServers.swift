import Foundation
import Swiftlet
import SwiftletLoopback
import Synchronization

/// Servers that are disturbed at random, each in its own process. A server is stopped or frozen only while at
/// least two others run.
final class FaultyServers: Sendable {
    private struct State {
        var servers: [FaultyServer] = []
        var counts: [String: Int] = [:]
    }

    let target: String
    private let state = Mutex(State())
    /// Whether servers accept the commands of ``LoopbackWord``.
    private let takesWords: Bool

    /// - Parameter command: The shell command that starts a server on the port in the variable PORT; nil
    ///   starts a loopback server.
    init(count: Int, command: String?) throws {
        // Finds free ports: starts servers on ports that the system chooses, and shuts them down.
        let places = try (0..<count).map { _ in try LoopbackServer { _ in } }
        let ports = places.compactMap { $0.target.split(separator: ":").last.map(String.init) }
        for place in places { place.shutdown() }
        target = "ipv4:" + ports.map { "127.0.0.1:" + $0 }.joined(separator: ",")
        takesWords = command == nil
        for port in ports {
            let server = try FaultyServer(port: port, command: command)
            state.withLock { $0.servers.append(server) }
        }
    }

    /// The number of times that each disturbance was made.
    var counts: [String: Int] { state.withLock { $0.counts } }

    /// Kills, freezes, drains, slows, breaks or heals a server chosen at random. If it is stopped,
    /// restarts it instead. If it is frozen, resumes it if its time is over, and otherwise does nothing.
    func disturb() throws {
        try state.withLock { state in
            let index = Int.random(in: 0..<state.servers.count)
            let mayLose = state.servers.count { $0.phase == .running } > 2
            // At most one server fails calls. If several did, all attempts of a call could fail.
            let mayBeBusy = !state.servers.contains { $0.word == .busy }
            let deed: String? =
                switch (state.servers[index].phase, Int.random(in: 0..<8)) {
                case (.stopped, _): try state.servers[index].restart()
                case (.frozen, _): try state.servers[index].thawIfDue()
                case (.running, 0...1) where mayLose: try state.servers[index].kill()
                case (.running, 2) where mayLose: try state.servers[index].freeze()
                case (.running, 3) where takesWords: try state.servers[index].take(.drain)
                case (.running, 4) where takesWords: try state.servers[index].take(.slow)
                case (.running, 5) where takesWords && mayBeBusy:
                    try state.servers[index].take(.busy)
                case (.running, _) where takesWords: try state.servers[index].take(.heal)
                case (.running, _): nil
                }
            if let deed { state.counts[deed, default: 0] += 1 }
        }
    }

    /// Restarts or resumes all servers, without faults.
    func healAll() throws {
        try state.withLock { state in
            for index in state.servers.indices {
                switch state.servers[index].phase {
                case .stopped: _ = try state.servers[index].restart()
                case .frozen: _ = try state.servers[index].thaw()
                case .running: if takesWords { _ = try state.servers[index].take(.heal) }
                }
            }
        }
    }
}

extension FaultyServers {
    /// Kills all servers.
    func stop() {
        state.withLock { state in
            for server in state.servers { server.end() }
        }
    }
}

/// A command to a loopback server, as a line of its standard input.
enum LoopbackWord: String {
    case drain, slow, busy, heal
}

/// A server in another process.
private struct FaultyServer {
    enum Phase: Equatable {
        case running
        /// SIGSTOP has stopped the process, at least until this time. The kernel still accepts connections to
        /// its port.
        case frozen(until: ContinuousClock.Instant)
        case stopped
    }

    private(set) var phase = Phase.stopped
    /// The last command to a loopback server other than `drain`. `heal` after a start or a kill.
    private(set) var word = LoopbackWord.heal
    private let port: String
    private let command: String?
    private var process = Process()
    private var input = Pipe()

    init(port: String, command: String?) throws {
        self.port = port
        self.command = command
        try start()
    }

    private mutating func start() throws {
        process = Process()
        input = Pipe()
        if let command {
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = ["-c", "exec " + command]
        } else {
            process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            process.arguments = ["faulty-server"]
        }
        process.environment = ProcessInfo.processInfo.environment.merging(["PORT": port]) { $1 }
        process.standardInput = input
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        phase = .running
        word = .heal
    }

    mutating func restart() throws -> String {
        try start()
        return "restarted"
    }

    mutating func kill() throws -> String {
        try signal(SIGKILL)
        process.waitUntilExit()
        phase = .stopped
        word = .heal
        return "killed"
    }

    mutating func freeze() throws -> String {
        try signal(SIGSTOP)
        // Long enough for keep-alive to detect it.
        phase = .frozen(until: .now + .seconds(15))
        return "frozen"
    }

    mutating func thawIfDue() throws -> String? {
        guard case .frozen(let time) = phase, time <= .now else { return nil }
        return try thaw()
    }

    mutating func thaw() throws -> String {
        try signal(SIGCONT)
        phase = .running
        return "thawed"
    }

    mutating func take(_ word: LoopbackWord) throws -> String {
        if word != .drain { self.word = word }
        try input.fileHandleForWriting.write(contentsOf: Data((word.rawValue + "\n").utf8))
        return "told to \(word)"
    }

    func end() {
        guard process.isRunning else { return }
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    private func signal(_ number: Int32) throws {
        guard process.isRunning else {
            throw Failure(
                "a server ended by itself with the status \(process.terminationStatus)")
        }
        Foundation.kill(process.processIdentifier, number)
    }
}

/// The process of a loopback server, which executes the commands on its standard input.
enum FaultyServerProcess {
    static func run() {
        do {
            guard let port = ProcessInfo.processInfo.environment["PORT"].flatMap(UInt16.init) else {
                giveUp("faulty-server: the variable PORT has no port")
            }
            let server = try LoopbackServer(on: .ipv4(port: port)) { $0.add(TestService()) }
            while let line = readLine() {
                switch LoopbackWord(rawValue: line) {
                case .drain: server.leaveGracefully()
                case .slow: try setFault(.delay(.milliseconds(50)), on: server)
                case .busy: try setFault(.status(.unavailable, "busy"), on: server)
                case .heal: try server.setFaults([])
                case nil: giveUp("faulty-server: unknown word '\(line)'")
                }
            }
            server.shutdown()
        } catch {
            giveUp("faulty-server: \(error)")
        }
    }

    private static func setFault(_ kind: Fault.Kind, on server: LoopbackServer) throws {
        try server.setFaults([.randomly(0.9, seed: 7, kind)])
    }
}
