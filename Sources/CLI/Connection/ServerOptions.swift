import Swiftlet
import SwiftletLoopback

/// Options of commands that listen for calls.
struct ServerOptions {
    /// Options of servers without TLS.
    static let listening: [CommandOption] = [
        .value(
            "port", named: "PORT",
            help: "the port of 127.0.0.1; 0 for any free one; default: 50051")
    ]
    static let all: [CommandOption] =
        listening + [
            .value("certificate", named: "FILE", help: "the certificate for TLS, with --key"),
            .value("key", named: "FILE", help: "the private key of the certificate"),
        ]

    let address: LoopbackServer.Address
    let tls: ServerTLS?

    init(_ arguments: Arguments) throws {
        address = try Self.address(arguments)
        tls = try Self.tls(arguments)
    }

    private static func tls(_ arguments: Arguments) throws -> ServerTLS? {
        guard let path = arguments["--certificate"] else {
            guard arguments["--key"] == nil else {
                throw UsageError(message: "--certificate and --key must be given together")
            }
            return nil
        }
        guard let key = try arguments.file("--key") else {
            throw UsageError(message: "--certificate and --key must be given together")
        }
        let chain = String(decoding: try Arguments.contents(of: path), as: UTF8.self)
        return ServerTLS(certificateChain: chain, privateKey: key)
    }

    /// The address of `--port`.
    static func address(_ arguments: Arguments) throws -> LoopbackServer.Address {
        let text = arguments["--port"] ?? "50051"
        guard let port = UInt16(text) else {
            throw UsageError(message: "not a port: '\(text)' (expected 0–65535)")
        }
        return .ipv4(port: port)
    }

    /// Prints the address of a server, and the given lines, and waits until the command is
    /// cancelled.
    static func serve(with server: LoopbackServer, _ lines: String...) async throws {
        print("serving on \(server.target)")
        for line in lines { print(line) }
        // Without the printed lines, no client knows the port.
        guard flushOutput() else { leave(with: 0) }
        while !Task.isCancelled { try await Task.sleep(for: .seconds(3_600)) }
        server.shutdown()
    }
}
