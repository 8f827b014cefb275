import Foundation
import SwiftletLoopback

/// Runs this program as a server in another process, which ends with this one.
final class ServerProcess {
    let target: String
    private let process = Process()
    private let input = Pipe()

    /// - Parameter path: The path of the socket to listen on; nil for a port of 127.0.0.1.
    init(path: String? = nil) throws {
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["server"] + (path.map { [$0] } ?? [])
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let line = output.fileHandleForReading.availableData
        target = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .newlines)
        guard !target.isEmpty else { throw Complaint("the server did not start") }
    }

    deinit { process.terminate() }
}

/// The server process: prints its target, and serves until its standard input ends.
enum BenchmarkServer {
    static func run(_ arguments: [String]) {
        do {
            let address = arguments.first.map { LoopbackServer.Address.unix(path: $0) } ?? .ipv4()
            let server = try LoopbackServer(on: address) { $0.addBenchmark() }
            print(server.target)
            fflush(nil)
            while readLine() != nil {}
            withExtendedLifetime(server) {}
        } catch {
            giveUp("server: \(error)")
        }
    }
}
