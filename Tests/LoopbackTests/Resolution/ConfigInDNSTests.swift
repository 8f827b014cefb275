import SwiftletLoopback
import Synchronization
import Testing

@testable import Swiftlet
@testable import SwiftletBalancing
@testable import SwiftletCore
@testable import SwiftletTransport

@Suite("A service config in DNS (A2)", .timeLimit(.minutes(5)))
struct ConfigInDNSTests {
    private static let echo = Method<[UInt8], [UInt8]>(
        "/t.T/Echo", .unary, request: .bytes, reply: .bytes)

    private static func texts(
        _ server: FakeNameServer, _ change: (inout NameServers) -> Void = { _ in }
    ) throws -> [String] {
        var servers = NameServers([server.address])
        change(&servers)
        return try TextLookup.texts(of: "a.test", from: servers, timeLimit: .seconds(60))
            .map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("is found over UDP, even if other packets arrive before the answer")
    func datagrams() async throws {
        let server = try FakeNameServer { query, isTCP in
            var forged = DNSMessages.answer(to: query, texts: ["forged"])
            forged[0] ^= 1
            return [
                forged, [], [1, 2, 3], query,
                DNSMessages.answer(to: query, texts: ["one", "two"]),
            ]
        }
        defer { server.stop() }
        let found = try await onThread { try Self.texts(server) }
        #expect(found == ["one", "two"])
    }

    @Test("is found over TCP if it does not fit a datagram")
    func streams() async throws {
        let long = String(repeating: "x", count: 40_000)
        let server = try FakeNameServer { query, isTCP in
            isTCP
                ? [DNSMessages.answer(to: query, texts: [long])]
                : [DNSMessages.answer(to: query, flags: 0x8380)]
        }
        defer { server.stop() }
        let found = try await onThread { try Self.texts(server) }
        #expect(found == [long])
    }

    @Test("is looked up in the search domains, too")
    func searchDomains() async throws {
        let count = Atomic(0)
        let server = try FakeNameServer { query, _ in
            count.add(1, ordering: .relaxed).newValue == 1
                ? [DNSMessages.answer(to: query, flags: 0x8183)]
                : [DNSMessages.answer(to: query, texts: ["in b"])]
        }
        defer { server.stop() }
        let found = try await onThread { try Self.texts(server) { $0.searchDomains = ["b.test"] } }
        #expect(found == ["in b"])
        #expect(count.load(ordering: .relaxed) == 2)
    }

    @Test("is absent if the name has none, whatever the search domains are")
    func uselessSearchDomains() async throws {
        let domains = [".", String(repeating: "d.", count: 125) + "d", "a..b", "failing.test"]
        for domain in domains {
            let count = Atomic(0)
            let server = try FakeNameServer { query, _ in
                count.add(1, ordering: .relaxed).newValue == 1
                    ? [DNSMessages.answer(to: query, flags: 0x8183)]
                    : [DNSMessages.answer(to: query, flags: 0x8182)]
            }
            defer { server.stop() }
            let found = try await onThread {
                try Self.texts(server) { $0.searchDomains = [domain] }
            }
            #expect(found == [], "\(domain)")
        }
    }

    @Test("is found although a search domain before it fails")
    func failingSearchDomain() async throws {
        // The texts of the second name; nil if its server fails, too.
        for (texts, expected) in [(["found"], ["found"]), ([], []), (nil, nil)]
            as [([String]?, [String]?)]
        {
            let count = Atomic(0)
            let server = try FakeNameServer { query, _ in
                guard count.add(1, ordering: .relaxed).newValue > 2, let texts else {
                    return [DNSMessages.answer(to: query, flags: 0x8182)]
                }
                return [DNSMessages.answer(to: query, texts: texts)]
            }
            defer { server.stop() }
            let found = try await onThread {
                try? Self.texts(server) { servers in
                    servers.dotCount = 5
                    servers.searchDomains = ["failing.test"]
                }
            }
            #expect(found == expected)
        }
    }

    @Test("is not found while the server fails, does not answer, or sends a malformed answer")
    func failures() async throws {
        let cases: [(answer: FakeNameServer.Answer, expected: String?)] = [
            ({ query, _ in [DNSMessages.answer(to: query, flags: 0x8182)] }, "the error 2"),
            ({ _, _ in [] }, "no answer"),
            // Bytes after the records are ignored.
            ({ query, _ in [DNSMessages.answer(to: query) + [0xff]] }, nil),
            ({ query, _ in [DNSMessages.answer(to: query, recordCount: 9)] }, "malformed"),
            (
                { query, isTCP in isTCP ? [[1]] : [DNSMessages.answer(to: query, flags: 0x8380)] },
                "malformed"
            ),
        ]
        for (answer, expected) in cases {
            let server = try FakeNameServer(answer)
            defer { server.stop() }
            let result = try await onThread {
                Result { try Self.texts(server) { $0.timeout = .milliseconds(50) } }
            }
            switch (result, expected) {
            case (.success(let texts), nil): #expect(texts == [])
            case (.failure(let error), let expected?):
                #expect("\(error)".contains(expected), "\(error)")
            default: Issue.record("\(result), expected \(expected ?? "nothing")")
            }
        }
    }

    private static func config(_ fields: String) -> String {
        #"grpc_config=[{\#(fields)"serviceConfig":{"methodConfig":[{"name":[{}],"retryPolicy":{"#
            + #""maxAttempts":3,"initialBackoff":"0.001s","maxBackoff":"0.001s","#
            + #""backoffMultiplier":1,"retryableStatusCodes":["UNAVAILABLE"]}}]}}]"#
    }

    private static func channel(
        to server: LoopbackServer, _ nameServer: FakeNameServer
    ) throws -> Channel {
        var arguments = ChannelArguments()
        ServiceConfigText.register()
        arguments.findsServiceConfigInDNS = true
        arguments.configNameServers = [nameServer.address]
        let port = server.target.split(separator: ":").last.map(String.init) ?? ""
        return try Channel("localhost:\(port)", credentials: .insecure, arguments: arguments)
    }

    @Test("applies to the first call of a channel that looks it up")
    func wholeChannel() async throws {
        for (fields, attempts) in [(#""clientLanguage":["Swift"],"#, 3), (#""percentage":0,"#, 1)] {
            let nameServer = try FakeNameServer { query, _ in
                [DNSMessages.answer(to: query, texts: ["v=spf1", Self.config(fields)])]
            }
            defer { nameServer.stop() }
            let count = Atomic(0)
            let server = try LoopbackServer { server in
                server.unary(Self.echo) { _, _ in
                    count.add(1, ordering: .relaxed)
                    throw RPCError(.unavailable, "busy")
                }
            }
            let channel = try Self.channel(to: server, nameServer)
            await #expect(throws: RPCError.self) { try await channel.unary(Self.echo, [1]) }
            #expect(count.load(ordering: .relaxed) == attempts)
        }
    }

    @Test("that is not valid fails calls, with its field, until there is a valid one (A21)")
    func invalid() async throws {
        let isMended = Atomic(false)
        let nameServer = try FakeNameServer { query, _ in
            let text = isMended.load(ordering: .relaxed) ? Self.config("") : Self.config(#""x":1,"#)
            return [DNSMessages.answer(to: query, texts: [text])]
        }
        defer { nameServer.stop() }
        let server = try LoopbackServer { server in
            server.unary(Self.echo) { request, _ in request }
        }
        let channel = try Self.channel(to: server, nameServer)
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(Self.echo, [1])
        }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("[0].x: is not a field of a choice") ?? false)
        isMended.store(true, ordering: .relaxed)
        let reply = try await channel.unary(
            Self.echo, [1], options: .with { $0.waitForReady = true })
        #expect(reply == [1])
    }

    @Test("that is not found or not valid is an error of the look-up, and nothing is sent")
    func error() async throws {
        let answers: [FakeNameServer.Answer] = [
            { query, _ in [DNSMessages.answer(to: query, flags: 0x8182)] },
            { query, _ in [DNSMessages.answer(to: query, texts: [Self.config(#""x":1,"#)])] },
        ]
        for answer in answers {
            let nameServer = try FakeNameServer(answer)
            defer { nameServer.stop() }
            let lookup = ConfigLookup(
                host: "a.test", servers: NameServers([nameServer.address]),
                timeLimit: .seconds(60))
            let found = await withCheckedContinuation { continuation in
                lookup.start(isNeeded: { true }) { continuation.resume(returning: $0) }
            }
            let error = #expect(throws: RPCError.self) { try found.get() }
            #expect(error?.code == .unavailable && error?.phase == .resolve)
            #expect(error?.message.hasPrefix("the service config of a.test in DNS: ") == true)
            #expect(error?.mayHaveBeenExecuted == false)
        }
    }

    @Test("is not looked up unless the arguments request it")
    func off() async throws {
        let count = Atomic(0)
        let nameServer = try FakeNameServer { _, _ in
            count.add(1, ordering: .relaxed)
            return []
        }
        defer { nameServer.stop() }
        let server = try LoopbackServer { server in
            server.unary(Self.echo) { request, _ in request }
        }
        var arguments = ChannelArguments()
        arguments.configNameServers = [nameServer.address]
        #expect(!arguments.findsServiceConfigInDNS)
        let port = server.target.split(separator: ":").last.map(String.init) ?? ""
        let channel = try Channel(
            "localhost:\(port)", credentials: .insecure, arguments: arguments)
        #expect(try await channel.unary(Self.echo, [1]) == [1])
        #expect(count.load(ordering: .relaxed) == 0)
        try arguments.set("grpc.service_config_disable_resolution", to: 0)
        #expect(arguments.findsServiceConfigInDNS)
    }
}
