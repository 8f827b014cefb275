import Swiftlet
import SwiftletJSONRPC
import SwiftletLoopback
import SwiftletStyles
import Synchronization
import Testing

@Suite("A fake channel for plain HTTP", .timeLimit(.minutes(5)))
struct FakePlainRequestTests {
    let fake: FakeChannel

    init() throws { fake = try FakeChannel() }

    @Test("receives and sends bodies unchanged")
    func bodies() async throws {
        let response = fake.respond(to: "/rpc")
        #expect(fake.unusedResponseCount(for: "/rpc") == 1)
        try response.send(
            HTTPReply(
                status: 500, contentType: "application/json", headers: ["x-test": "yes"],
                body: Array("[1]".utf8)))
        let answer = try await fake.channel.post(
            "/rpc", contentType: "application/json", body: Array("{}".utf8))
        #expect(answer.body == Array("[1]".utf8))
        #expect(answer.status == 500)
        #expect(answer.headers["content-type"] == "application/json")
        #expect(answer.headers["x-test"] == "yes")
        #expect(fake.unusedResponseCount(for: "/rpc") == 0)
        var bodies: [[UInt8]] = []
        for await case .message(let body) in response.requestParts { bodies.append(body) }
        #expect(bodies == [Array("{}".utf8)])
    }

    @Test("receives and sends bodies that are empty or shorter than a prefix")
    func short() async throws {
        for byteCount in 0..<7 {
            let body = [UInt8](repeating: 9, count: byteCount)
            let seen = Mutex<[UInt8]?>(nil)
            let response = fake.respond(to: "/") { part in
                if case .message(let body) = part { seen.withLock { $0 = body } }
            }
            try response.send(HTTPReply(contentType: "text/plain", body: body))
            let answer = try await fake.channel.post("/", contentType: "text/plain", body: body)
            #expect(answer.body == body)
            #expect(answer.status == 200)
            #expect(seen.withLock { $0 } == body)
        }
    }

    @Test("answers with a response that was queued for a method of the same path")
    func typed() async throws {
        let sent = HelloReply(message: "hi")
        try fake.respond(to: FakeChannelTests.sayHello).sendMessage(sent)
        let answer = try await fake.channel.post(
            FakeChannelTests.sayHello.path, contentType: "application/proto",
            body: HelloRequest(name: "you").encoded())
        #expect(answer.body == sent.encoded())
    }

    @Test("fails a request without a queued response, and can fail like a connection")
    func failures() async throws {
        let none = await #expect(throws: RPCError.self) {
            try await fake.channel.post("/rpc", contentType: "text/plain", body: [])
        }
        #expect(none?.code == .failedPrecondition)
        try fake.respond(to: "/rpc").fail(RPCError(.unavailable, "lost"))
        let lost = await #expect(throws: RPCError.self) {
            try await fake.channel.post("/rpc", contentType: "text/plain", body: [])
        }
        #expect(lost?.code == .unavailable)
    }
}

@Suite("Requests to a fake channel", .timeLimit(.minutes(5)))
struct FakeRequestTests {
    private static let method = Method<[UInt8], [UInt8]>(
        "/t.T/Stream", .bidirectional, request: .bytes, reply: .bytes)
    let fake: FakeChannel

    init() throws { fake = try FakeChannel() }

    /// Starts a call that ignores its response.
    private func begin() -> WritingCall<[UInt8]> {
        fake.channel.startBidirectional(
            Self.method, handlers: ResponseHandlers(message: { _ in }, end: { _ in }))
    }

    @Test(
        "have room for many unread requests, and for more after the test has read some",
        arguments: [(byteCount: 1, roomFor: 1_023), (600 << 10, 1), (2 << 20, 0)])
    func room(byteCount: Int, roomFor: Int) async throws {
        let response = fake.respond(to: Self.method)
        let call = begin()
        let written = Counter()
        let (reports, continuation) = AsyncStream.makeStream(of: Bool.self)
        let count = roomFor + 40
        for _ in 0..<count {
            try call.write([UInt8](repeating: 1, count: byteCount)) { hasRoom in
                written.add()
                continuation.yield(hasRoom)
            }
        }
        #expect(written.count == roomFor)
        var parts = response.requestParts.makeAsyncIterator()
        var messageCount = 0
        while messageCount < count, let part = await parts.next() {
            if case .message(let bytes) = part {
                #expect(bytes.count == byteCount)
                messageCount += 1
            }
        }
        var roomCount = 0
        for await hasRoom in reports.prefix(count) where hasRoom { roomCount += 1 }
        #expect(roomCount == count)
        call.cancel()
    }

    /// More values than a test reads. Counts the values that were read.
    private struct Endless: Sequence, IteratorProtocol, Sendable {
        static let count = 100_000
        let given: Counter

        func next() -> [UInt8]? {
            guard given.count < Self.count else { return nil }
            given.add()
            return [UInt8](repeating: 1, count: 1_024)
        }
    }

    @Test("end without a part when the channel is closed before a call", arguments: [true, false])
    func neverCalled(isClosed: Bool) async throws {
        var fake: FakeChannel? = try FakeChannel()
        let response = fake?.respond(to: Self.method)
        if isClosed { await fake?.channel.close() }
        fake = nil
        var partCount = 0
        if let response { for await _ in response.requestParts { partCount += 1 } }
        #expect(partCount == 0)
    }

    @Test("wait for the test, however fast they are written")
    func endless() async throws {
        let response = fake.respond(to: Self.method)
        let given = Counter()
        let call = Call(fake.channel, Self.method, requests: SequenceWriter(Endless(given: given)))
        try call.start(
            with: HandlerWriteable<[UInt8]>(value: { _ in }, completion: { _ in }))
        // The messages that a call stores before it has a stream, and those that the test has not read.
        let atOnce = given.count
        #expect(atOnce < 1_400)
        var readCount = 0
        for await case .message in response.requestParts {
            readCount += 1
            #expect(given.count <= max(atOnce, readCount + 1_025))
            if readCount == 2_000 { break }
        }
        #expect(given.count < Endless.count)
        call.cancel()
    }

    @Test("of a task wait for the test")
    func task() async throws {
        let response = fake.respond(to: Self.method)
        let written = Counter()
        let stream = try await fake.channel.bidirectional(Self.method)
        let writing = Task {
            for _ in 0..<3_000 {
                try await stream.requests.write([1])
                written.add()
            }
            stream.requests.finish()
        }
        var readCount = 0
        for await part in response.requestParts {
            if case .end = part { break }
            guard case .message = part else { continue }
            readCount += 1
            #expect(written.count <= readCount + 1_024)
        }
        #expect(readCount == 3_000)
        try await writing.value
        stream.cancel()
    }

    @Test("that a handler reads always have room")
    func handled() async throws {
        let (read, written) = (Counter(), Counter())
        let response = fake.respond(to: Self.method) { part in
            if case .message = part { read.add() }
        }
        let call = begin()
        for _ in 0..<1_000 { try call.write([1]) { if $0 { written.add() } } }
        #expect(read.count == 1_000)
        #expect(written.count == 1_000)
        call.cancel()
        // `requestParts` is empty, because the handler received all parts.
        for await part in response.requestParts { Issue.record("\(part)") }
    }

    @Test("do not wait for room when the test has released the fake response")
    func unread() async throws {
        _ = fake.respond(to: Self.method)
        let written = Counter()
        let call = begin()
        for _ in 0..<1_000 { try call.write([1]) { if $0 { written.add() } } }
        #expect(written.count == 1_000)
        call.cancel()
    }

    @Test("that wait for room end with their call")
    func ended() async throws {
        let response = fake.respond(to: Self.method)
        let stream = try await fake.channel.bidirectional(Self.method)
        let written = Counter()
        let writing = Task {
            while true {
                try await stream.requests.write([1])
                written.add()
            }
        }
        try await eventually { written.count >= 1_023 }
        try response.sendEnd(Status(.aborted, "enough"))
        let error = await #expect(throws: RPCError.self) { try await writing.value }
        #expect(error?.code == .aborted)
    }
}
