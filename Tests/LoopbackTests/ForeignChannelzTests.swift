import Foundation
import Swiftlet
import SwiftletLoopback
import TestSupport
import Testing

/// The interpreter that `make interop` installs, if it has grpcio's channelz.
private enum ForeignChannelz {
    static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    static let python: URL? = {
        let environment = root.appending(path: ".build/interop/venv")
        let libraries = environment.appending(path: "lib")
        let versions =
            (try? FileManager.default.contentsOfDirectory(atPath: libraries.path)) ?? []
        let hasChannelz = versions.contains { version in
            FileManager.default.fileExists(
                atPath: libraries.appending(path: "\(version)/site-packages/grpc_channelz").path)
        }
        return hasChannelz ? environment.appending(path: "bin/python") : nil
    }()
}

@Suite(
    "The channelz service, read by another implementation",
    .enabled(
        if: ForeignChannelz.python != nil,
        "there is no grpcio-channelz in .build/interop/venv; make interop installs it"),
    .timeLimit(.minutes(5)))
struct ForeignChannelzTests {
    @Test("shows channels, subchannels, sockets and their TCP_INFO to grpcio's stubs")
    func stubs() async throws {
        let shown = try LoopbackServer { server in
            server.unary(ManyServersTests.whoAmI) { _, _ in [1] }
        }
        let channel = try Channel(shown.target, credentials: .insecure)
        for _ in 0..<3 { _ = try await channel.unary(ManyServersTests.whoAmI, []) }
        let server = try LoopbackServer { $0.add(ChannelzService()) }

        let script = ForeignChannelz.root.appending(path: "Tests/Interop/channelz.py").path
        let (output, status) = try await onThread {
            let process = try ChildProcess(
                #require(ForeignChannelz.python).path, [script, server.target, shown.target])
            return (try process.allOutput(), process.wait())
        }
        let lines = output.split(separator: "\n").map(String.init)
        #expect(status == 0)
        let port = try #require(shown.target.split(separator: ":").last)
        #expect(
            lines == [
                "channel READY calls 3 3 0", "subchannel \(shown.target) 3",
                "socket 127.0.0.1 \(port) 3", "TCP_INFO 1 mss", "servers 0",
            ])
        await channel.close()
    }
}
