import Swiftlet
import SwiftletLoopback

/// Serves the example services until the process is ended.
enum ServeCommand: Command {
    static let name = "serve"
    static let usage = "serve [--port PORT] [--certificate FILE --key FILE]"
    static let purpose = "serves the example services on 127.0.0.1, for tests (port 50051)"
    static let options: [CommandOption] = ["--port", "--certificate", "--key"]

    static func run(_ arguments: Arguments) async throws {
        try arguments.expectAtMost(0)
        let port = try port(arguments["--port"] ?? "50051")
        let tls = try tls(arguments)
        let (server, reconnects) = try StartFailure.instead {
            let reconnects = try ReconnectService()
            let server = try LoopbackServer(on: .ipv4(port: port), tls: tls) { server in
                register(reconnects, in: &server)
            }
            return (server, reconnects)
        }
        print("serving on \(server.target)")
        print("closing connections at once, to test reconnecting, on \(reconnects.target)")
        // Without the lines above no client knows the port.
        guard flushOutput() else { leave(with: 0) }
        while !Task.isCancelled { try await Task.sleep(for: .seconds(3_600)) }
    }

    private static func register(_ reconnects: ReconnectService, in server: inout ServerMethods) {
        server.addGreeter()
        server.addRouteGuide()
        server.addBenchmark()
        server.add(TestService())
        server.add(reconnects)
        server.add(ReflectionService())
        let health = HealthService()
        server.add(health)
        for name in server.serviceNames { health.set(.serving, for: name) }
    }

    private static func port(_ text: String) throws -> UInt16 {
        guard let port = UInt16(text) else {
            throw UsageError(message: "not a port: '\(text)' (expected 0–65535)")
        }
        return port
    }

    private static func tls(_ arguments: Arguments) throws -> ServerTLS? {
        switch (try arguments.file("--certificate"), try arguments.file("--key")) {
        case (nil, nil): nil
        case (let certificate?, let key?): ServerTLS(certificateChain: certificate, privateKey: key)
        default: throw UsageError(message: "--certificate and --key go together")
        }
    }
}
