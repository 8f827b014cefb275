import SwiftletBalancing
import SwiftletLoopback
import SwiftletStyles
import SwiftletTransport
import Synchronization
import Testing

@testable import Swiftlet
@testable import SwiftletCore

@Suite("A cluster that the routes no longer name", .timeLimit(.minutes(5)))
struct ClusterLifeTests {
    private final class Ignoring: CallObserver {
        func receive(initialMetadata: Metadata) {}
        func receive(message: [UInt8], from call: any CallRequests) {}
        func messageWasWritten(wasAccepted: Bool) {}
        func receive(end: consuming CallEnd) {}
    }

    private static func servers() throws -> (old: LoopbackServer, new: LoopbackServer) {
        (try SelectorTests.server(1), try SelectorTests.server(2))
    }

    @Test("loses none of 100 open streams, which continue on its connections")
    func openStreams() async throws {
        let (old, new) = try Self.servers()
        let mesh = try Mesh(
            "cluster-streams",
            ["old": .init(servers: [old]), "new": .init(servers: [new])])
        let channel = try mesh.channel()
        let calls = try await withThrowingTaskGroup(of: Conversation<[UInt8], [UInt8]>.self) {
            group in
            for _ in 0..<100 {
                group.addTask {
                    let call = try await channel.bidirectional(
                        SelectorTests.talk, options: SelectorTests.options("old"))
                    try await call.requests.write([1])
                    return call
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        var answers = calls.map { $0.responses.makeAsyncIterator() }
        for index in answers.indices { #expect(try await answers[index].next()?[0] == 1) }
        mesh.remove("old")
        // Each call is committed, because its server has answered.
        try await eventually { mesh.clusters == ["new"] }
        for index in calls.indices {
            try await calls[index].requests.write([2])
            #expect(try await answers[index].next()?[0] == 1)
            calls[index].requests.finish()
            #expect(try await answers[index].next() == nil)
        }
        #expect(
            try await channel.unary(
                SelectorTests.ask, [], options: SelectorTests.options("new"))[0] == 2)
        #expect(old.connectionCount == 1)
        await channel.close()
    }

    @Test("loses none of 100 waiting calls, and sends them to its own servers", arguments: [0, 3])
    func waitingCalls(attempts: Int) async throws {
        let (old, new) = try Self.servers()
        let method = SelectorTests.method(minutes: 4, attempts: attempts)
        // Without a server, the calls wait.
        let mesh = try Mesh(
            "cluster-waiting-\(attempts)",
            ["old": .init(servers: [], method: method), "new": .init(servers: [new])])
        let channel = try mesh.channel()
        let core = try #require(channel.backend as? ChannelCore)
        var options = SelectorTests.options("old")
        options.waitForReady = true
        try await withThrowingTaskGroup(of: [UInt8].self) { [options] group in
            for _ in 0..<100 {
                group.addTask {
                    try await channel.unary(SelectorTests.ask, [], options: options)
                }
            }
            try await eventually { core.state.withLock { $0.waiting.count } == 100 }
            mesh.remove("old")
            // The routes are in use when a call finds none to the old cluster.
            try await eventually { core.methodConfigs?.routes(to: "old") == false }
            #expect(mesh.clusters == ["old", "new"], "the calls keep the cluster")
            #expect(
                try await channel.unary(
                    SelectorTests.ask, [], options: SelectorTests.options("new"))[0] == 2)
            mesh.changeServers(of: "old", to: [old])
            for try await answer in group { #expect(answer == [1, 4, 0]) }
        }
        try await eventually { mesh.clusters == ["new"] }
        await channel.close()
    }

    @Test("is released by a call that ends while it waits, and by one that never starts")
    func endedCalls() async throws {
        let (_, new) = try Self.servers()
        let mesh = try Mesh(
            "cluster-ended", ["old": .init(servers: []), "new": .init(servers: [new])])
        let channel = try mesh.channel()
        let core = try #require(channel.backend as? ChannelCore)
        #expect(
            try await channel.unary(
                SelectorTests.ask, [], options: SelectorTests.options("new"))[0] == 2)
        var options = SelectorTests.options("old")
        options.waitForReady = true
        let observer = Ignoring()
        var unstarted: (any CallRequests)? = channel.makeCall(
            SelectorTests.ask.signature, options, observer: observer)
        let call = channel.makeCall(SelectorTests.ask.signature, options, observer: observer)
        call.start()
        #expect(core.state.withLock { $0.waiting.count } == 1)
        mesh.remove("old")
        try await eventually { core.methodConfigs?.routes(to: "old") == false }
        #expect(mesh.clusters == ["old", "new"])
        // The program may keep a call that has ended.
        call.cancel()
        #expect(mesh.clusters == ["old", "new"])
        #expect(unstarted != nil)
        unstarted = nil
        try await eventually { mesh.clusters == ["new"] }
        withExtendedLifetime(call) {}
        await channel.close()
    }

    @Test("is asked for again after the channel was idle, from a new resolver")
    func idle() async throws {
        let (old, new) = try Self.servers()
        let mesh = try Mesh("cluster-idle", ["old": .init(servers: [old])])
        let channel = try mesh.channel()
        let core = try #require(channel.backend as? ChannelCore)
        let ask = SelectorTests.ask
        #expect(try await channel.unary(ask, [], options: SelectorTests.options("old"))[0] == 1)
        core.post(.stop)
        try await eventually { channel.connectivity == .idle }
        mesh.remove("old")
        try await eventually { mesh.clusters.isEmpty }
        mesh.set("new", .init(servers: [new]))
        #expect(try await channel.unary(ask, [], options: SelectorTests.options("new"))[0] == 2)
        await channel.close()
    }

    @Test("is not chosen by the old routes for a call that begins while the channel becomes idle")
    func becomingIdle() async throws {
        let (old, new) = try Self.servers()
        let mesh = try Mesh("cluster-becoming-idle", ["old": .init(servers: [old])])
        let channel = try mesh.channel()
        let core = try #require(channel.backend as? ChannelCore)
        let ask = SelectorTests.ask
        #expect(try await channel.unary(ask, [], options: SelectorTests.options("old"))[0] == 1)
        let future = Mutex<CallFuture<[UInt8]>?>(nil)
        mesh.whenStopped {
            // The old routes have no such cluster.
            mesh.set("new", .init(servers: [new]))
            let call = channel.unaryCall(ask, [], options: SelectorTests.options("new"))
            future.withLock { $0 = call.response }
        }
        core.post(.stop)
        try await eventually { future.withLock { $0 != nil } }
        let answer = try #require(future.withLock { $0 })
        #expect(try await answer.value[0] == 2)
        await channel.close()
    }
}

extension MethodConfigs {
    /// Whether the selector has a route to a cluster.
    fileprivate func routes(to cluster: String) -> Bool {
        var options = CallOptions()
        options.metadata.append(received: .text(cluster), for: "x-cluster")
        guard let selection = knownSelection(for: "/t.T/Ask", options) else { return false }
        return selection.rules?.failure == nil
    }
}
