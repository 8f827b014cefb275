import Foundation
import Swiftlet
import SwiftletLoopback

/// A loopback server for other HTTP/1.1 clients. Prints its address, and serves until its input ends.
enum EchoServer {
    static func run() async throws {
        let server = try LoopbackServer { server in
            server.http("/echo") { request in
                HTTPReply(
                    contentType: "application/octet-stream",
                    headers: [
                        "x-method": request.method.rawValue, "x-path": request.path,
                        "x-type": request.headers["content-type"] ?? "none",
                    ], body: request.body)
            }
            server.http("/status") { request in
                let code = request.path.split(separator: "?").last.flatMap { Int($0) } ?? 500
                return HTTPReply(
                    status: code, contentType: "text/plain", body: Array("status".utf8))
            }
            server.http("/large") { _ in
                HTTPReply(
                    contentType: "application/octet-stream",
                    body: (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
            }
        }
        // Written without a buffer, because the program at the other end of the pipe waits for it.
        FileHandle.standardOutput.write(Data("\(server.target)\n".utf8))
        while readLine() != nil {}
        withExtendedLifetime(server) {}
    }
}
