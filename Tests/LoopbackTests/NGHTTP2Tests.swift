import Foundation
import Swiftlet
import SwiftletJSONRPC
import SwiftletLoopback
import TestSupport
import Testing

/// Debian's nghttp2-server and nghttp2-client, if they are installed.
private enum Tool {
    static let nghttpd = find("nghttpd")
    static let nghttp = find("nghttp")

    private static func find(_ name: String) -> URL? {
        ["/usr/bin", "/usr/sbin", "/usr/local/bin"].map { URL(filePath: "\($0)/\(name)") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    static func certificate(_ name: String) -> String {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Certificates/\(name)").path
    }
}

@Suite(
    "A foreign HTTP/2",
    .enabled(
        if: Tool.nghttpd != nil && Tool.nghttp != nil,
        "nghttpd and nghttp are not on this machine (Debian: nghttp2-server, nghttp2-client)"),
    .timeLimit(.minutes(5)))
struct NGHTTP2Tests {
    /// A random loopback address that no other process binds. A port that was free a moment ago may be in
    /// use.
    private func ownAddress() -> String {
        "127.\(Int.random(in: 1...254)).\(Int.random(in: 1...254)).1"
    }

    @Test(
        "server receives the requests of this client, and this client its answers",
        arguments: [false, true])
    func server(isSecure: Bool) async throws {
        let (address, port) = (ownAddress(), "23791")
        let nghttpd = try ChildProcess(
            #require(Tool.nghttpd).path,
            (isSecure ? [] : ["--no-tls"]) + ["--echo-upload", "-a", address, port]
                + (isSecure
                    ? [Tool.certificate("server.key"), Tool.certificate("server.pem")] : []))
        var arguments = ChannelArguments()
        arguments.initialReconnectBackoff = .milliseconds(20)
        arguments.maxReconnectBackoff = .milliseconds(50)
        var tls = TLSOptions()
        tls.acceptsAnyCertificate = true
        let channel = try Channel(
            "\(address):\(port)", credentials: isSecure ? .tls(tls) : .insecure,
            arguments: arguments)
        let options = CallOptions.with {
            $0.waitForReady = true
            $0.timeout = .seconds(30)
        }
        for byteCount in [1, 1_000, 300_000] {
            let body = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0) }
            let answer = try await channel.post(
                "/upload", contentType: "application/byte-stream", body: body, options: options)
            #expect(answer.status == 200)
            #expect(answer.body == body)
            #expect(answer.headers["server"]?.contains("nghttp") == true)
        }
        withExtendedLifetime(nghttpd) {}
    }

    @Test("client is answered by the loopback server", arguments: [false, true])
    func client(isSecure: Bool) async throws {
        let tls = ServerTLS(
            certificateChain: try String(
                contentsOfFile: Tool.certificate("server.pem"), encoding: .utf8),
            privateKey: try String(
                contentsOfFile: Tool.certificate("server.key"), encoding: .utf8))
        let server = try LoopbackServer(tls: isSecure ? tls : nil) { server in
            server.http("/hello") { request in
                HTTPReply(contentType: "text/plain", body: Array("you sent ".utf8) + request.body)
            }
        }
        let upload = FileManager.default.temporaryDirectory
            .appending(path: "swiftlet-\(UUID().uuidString)")
        try Data("42".utf8).write(to: upload)
        defer { try? FileManager.default.removeItem(at: upload) }
        let nghttp = try ChildProcess(
            #require(Tool.nghttp).path,
            [
                "--timeout=20", "--no-verify-peer", "-d", upload.path,
                "-H", "content-type: text/plain",
                "http\(isSecure ? "s" : "")://\(server.target)/hello",
            ])
        let text = try await onThread { try nghttp.allOutput() }
        #expect(text.contains("you sent 42"))
    }
}
