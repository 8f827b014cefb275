import Swiftlet
import SwiftletLoopback
import Testing

@testable import SwiftletCLI
@testable import SwiftletCore

@Suite("A command line")
struct CommandLineTests {
    @Test(
        "with an invalid target or invalid authorities is wrong usage",
        arguments: [["x", "a:b:c:d]"], ["x", "localhost:1", "--ca", "/no/such/file"]])
    func noChannel(_ words: [String]) async throws {
        let arguments = try Arguments(words, of: HelloCommand.self)
        await #expect(throws: UsageError.self) { try await HelloCommand.run(arguments) }
    }

    @Test("has no options after two hyphens")
    func hyphens() throws {
        let arguments = try Arguments(
            ["--ca", "system", "--", "--ca", "--", "x"], of: HelloCommand.self)
        #expect(arguments.words == ["--ca", "--", "x"])
        #expect(arguments["--cacert"] == "system")
    }
}

@Suite("The interop command")
struct InteropCommandTests {
    @Test(
        "refuses invalid values",
        arguments: [
            ["--soak_iterations=0"], ["--soak_num_threads=0"], ["--concurrent_calls=0"],
            ["--use_test_ca=true"], ["--ca_file=ca.pem"], ["--use_tls=true", "--use_test_ca=true"],
            ["--use_tls=true", "--ca_file=/no/such/file"], ["--server_host=a:b]"],
            ["--additional_metadata=name"], ["--additional_metadata=a:1;:2"],
            ["--additional_metadata=a b:1"], ["--additional_metadata=te:trailers"],
            ["--server_host_override=a b"], ["--concurrent_calls=2147483647"],
            ["--soak_num_threads=2147483647"], ["--soak_request_size=2147483647"],
        ])
    func refused(_ words: [String]) async throws {
        let arguments = try Arguments(
            words + ["--test_case=empty_unary"], of: InteropCommand.self)
        await #expect(throws: UsageError.self) { try await InteropCommand.run(arguments) }
    }

    @Test("adds the given metadata to every call")
    func metadata() throws {
        let arguments = try Arguments(
            ["--additional_metadata=x-a:1;X-B:b:c;;x-a:2;x-c-bin:z;", "--server_control_port=2"],
            of: InteropCommand.self)
        let server = try InteropCommand.server(arguments)
        for channel in [try server.makeChannel(), try #require(try server.makeControlChannel?())] {
            let metadata = channel.defaultOptions.metadata
            #expect(metadata[all: "x-a"] == [.text("1"), .text("2")])
            #expect(metadata["x-b"] == "b:c")
            #expect(metadata.bytes(for: "x-c-bin") == [0x7a])
            #expect(metadata.count == 4)
        }
    }

    @Test("accepts the flags of cases with an account, and ignores them")
    func accounts() throws {
        let flags = [
            "default_service_account", "oauth_scope", "service_account_key_file",
            "service_config_json",
        ]
        let arguments = try Arguments(flags.map { "--\($0)=x" }, of: InteropCommand.self)
        _ = try InteropCommand.server(arguments)
    }

    @Test("selects for 'all' only the cases of a TestService")
    func all() throws {
        let cases = try InteropCommand.selectedCases("all")
        for each in cases {
            guard case .testService = each.peer else {
                Issue.record("\(each.name)")
                continue
            }
        }
        #expect(!cases.contains { $0.name == "slow_consumer" })
        #expect(cases.count == InteropCasesTests.served.count - 1)
        let names = try InteropCommand.selectedCases("ping,all").map(\.name)
        #expect(names == ["ping"] + cases.map(\.name))
    }

    @Test("ends with status 3 when the server serves no case of 'all'")
    func nothingServed() async throws {
        let server = try LoopbackServer { server in
            server.unary(HostileTrial.echo) { request, _ in request }
        }
        let arguments = try Arguments(
            [
                "--test_case=all", "--server_host=127.0.0.1",
                "--server_port=\(server.target.split(separator: ":")[1])",
                "--server_host_override=",
            ], of: InteropCommand.self)
        let status = await #expect(throws: ExitStatus.self) {
            try await InteropCommand.run(arguments)
        }
        #expect(status?.status == 3)
    }

    @Test("prints one line for each case, with any text of the server")
    func line() {
        let words = "no\npassed      ping\r\n\u{1b}[2K\u{0}\u{85}\u{2028}\\ \u{263a}"
        let written = #"no\npassed      ping\r\n\u{1B}[2K\0\u{0085}\u{2028}\ \#u{263a}"#
        #expect(InteropCommand.line(for: "a", .failed(words)) == "FAILED      a: " + written)
        #expect(InteropCommand.line(for: "a", .notServed(words)) == "not served  a: " + written)
        #expect(InteropCommand.line(for: "a", .passed) == "passed      a")
    }

    @Test("addresses requests to the given name, also without TLS")
    func authority() throws {
        let arguments = try Arguments(
            ["--server_host_override=foo.test"], of: InteropCommand.self)
        let channel = try InteropCommand.server(arguments).makeChannel()
        #expect(channel.backend.authority == "foo.test")
    }

    @Test(
        "uses TLS for calls and lost connections, and no TLS for the control port",
        .enabled(if: TLSLibrary.isHere, "OpenSSL is not installed"))
    func ports() throws {
        let ports = ["--server_control_port=2", "--server_retry_port=3"]
        for (words, encryption) in [
            (["--use_tls=true"], .all), ([], .none),
        ] as [([String], Encryption)] {
            let server = try InteropCommand.server(
                try Arguments(words + ports, of: InteropCommand.self))
            #expect(try server.makeChannel().backend.encryption == encryption)
            #expect(try server.makeLostChannel?(.seconds(1)).backend.encryption == encryption)
            #expect(try server.makeControlChannel?().backend.encryption == Encryption.none)
        }
    }
}
