import Swiftlet
import SwiftletInterceptors
import SwiftletLoopback
import SwiftletStyles
import Synchronization
import Testing

@Suite("Raw operations", .timeLimit(.minutes(5)))
struct OperationTests {
    let server: LoopbackServer
    static let sayHello = "/helloworld.Greeter/SayHello"
    static let chat = "/routeguide.RouteGuide/RouteChat"

    init() throws {
        server = try LoopbackServer {
            $0.addGreeter()
            $0.addRouteGuide()
        }
    }

    private func unaryBatch(_ notes: Notes, _ name: String = "you") -> [SwiftletStyles.Operation] {
        [
            .sendInitialMetadata(["x-test": "1"]) { notes.add("metadata sent") },
            .sendMessage(HelloRequest(name: name).encoded()) { notes.add("message sent") },
            .sendClose { notes.add("close sent") },
            .receiveInitialMetadata { _ in notes.add("metadata") },
            .receiveMessage { bytes in
                let reply = bytes.flatMap { try? HelloReply(decoding: $0.span) }
                notes.add(reply?.message ?? "none")
            },
            .receiveStatus { status, _ in notes.add("\(status)") },
        ]
    }

    static let everything = [
        "metadata sent", "close sent", "message sent", "metadata", "Hello you", "OK",
    ]

    @Test("all six in one batch are one event of a queue that is turned by hand")
    func byHand() async throws {
        try await onThread {
            let queue = try CompletionQueue(.byHand)
            let channel = try Channel(server.target, credentials: .insecure, queue: queue)
            let notes = Notes()
            let call = try channel.rawCall(Self.sayHello)
            try call.start(unaryBatch(notes), tag: 7)
            #expect(try queue.next() == .completed(tag: 7, success: true))
            #expect(Set(notes.all) == Set(Self.everything))
            #expect(notes.all.count == 6)
            #expect(try queue.next(deadline: .after(.milliseconds(1))) == .timeout)
            queue.shutdown()
            #expect(try queue.next() == .shutdown)
        }
    }

    @Test("complete when the queue is only polled from time to time")
    func looking() async throws {
        try await onThread {
            let queue = try CompletionQueue(.byHand)
            let channel = try Channel(server.target, credentials: .insecure, queue: queue)
            let notes = Notes()
            let call = try channel.rawCall(Self.sayHello)
            try call.start(unaryBatch(notes), tag: 7)
            var event = CompletionQueue.Event.timeout
            while event == .timeout { event = try queue.next(deadline: .after(.zero)) }
            #expect(event == .completed(tag: 7, success: true))
        }
    }

    @Test("complete when the program releases the call and does not read the response")
    func released() async throws {
        try await onThread {
            let queue = try CompletionQueue(.byHand)
            let channel = try Channel(server.target, credentials: .insecure, queue: queue)
            let statuses = Mutex<[StatusCode]>([])
            do {
                let call = try channel.rawCall(Self.sayHello)
                try call.start(
                    [
                        .sendInitialMetadata([:]),
                        .sendMessage(HelloRequest(name: "you").encoded()), .sendClose(),
                        .receiveStatus { status, _ in
                            statuses.withLock { $0.append(status.code) }
                        },
                    ], tag: 1)
            }
            #expect(try queue.next() == .completed(tag: 1, success: true))
            #expect(statuses.withLock { $0 } == [.ok])
            queue.shutdown()
            #expect(try queue.next() == .shutdown)
        }
    }

    @Test("without receiveStatus reset an endless stream when the program releases the call")
    func forgotten() async throws {
        let flood = Method<[UInt8], [UInt8]>(
            "/t.T/Flood", .serverStreaming, request: .bytes, reply: .bytes)
        let server = try LoopbackServer { server in
            server.serverStreaming(flood) { _, replies, _ in
                while true { try await replies.write([UInt8](repeating: 7, count: 1_024)) }
            }
        }
        try await onThread {
            let queue = try CompletionQueue(.byHand)
            let channel = try Channel(server.target, credentials: .insecure, queue: queue)
            do {
                let call = try channel.rawCall("/t.T/Flood")
                try call.start(
                    [.sendInitialMetadata([:]), .sendMessage([1]), .sendClose()], tag: 1)
                #expect(try queue.next() == .completed(tag: 1, success: true))
            }
            queue.shutdown()
            #expect(try queue.next() == .shutdown)
        }
    }

    @Test("do not report a message as sent if the call has ended")
    func lateMessage() async throws {
        var script = RawScript { _, _ in }
        script.answerToHeaders = { try $0.reply($1) }
        let peer = try RawPeer(script)
        try await onThread {
            let queue = try CompletionQueue(.byHand)
            let channel = try Channel(peer.target, credentials: .insecure, queue: queue)
            let call = try channel.rawCall("/t.T/Talk")
            try call.start([.sendInitialMetadata([:]), .receiveInitialMetadata { _ in }], tag: 1)
            #expect(try queue.next() == .completed(tag: 1, success: true))
            // The answer and its status follow at once. The test does not receive them.
            #expect(try queue.next(deadline: .after(.milliseconds(100))) == .timeout)
            try call.start([.sendMessage([2])], tag: 2)
            #expect(try queue.next() == .completed(tag: 2, success: false))
            call.cancel()
        }
    }

    @Test("are returned by next() of a queue that has its own thread")
    func ownThread() async throws {
        try await onThread {
            let queue = try CompletionQueue()
            let channel = try Channel(server.target, credentials: .insecure, queue: queue)
            let notes = Notes()
            for tag in 0..<10 as Range<UInt64> {
                try channel.rawCall(Self.sayHello).start(unaryBatch(notes), tag: tag)
            }
            var tags: Set<UInt64> = []
            while tags.count < 10, case .completed(let tag, let success) = try queue.next() {
                #expect(success)
                tags.insert(tag)
            }
            #expect(tags == Set(0..<10))
            queue.shutdown()
            #expect(try queue.next() == .shutdown)
        }
    }

    @Test("in batches one after the other make a conversation")
    func conversation() async throws {
        try await onThread {
            let queue = try CompletionQueue(.byHand)
            let channel = try Channel(server.target, credentials: .insecure, queue: queue)
            let call = try channel.rawCall(Self.chat)
            let notes = Notes()
            try call.start([.sendInitialMetadata([:])], tag: 0)
            #expect(try queue.next() == .completed(tag: 0, success: true))
            try call.start([.receiveStatus { status, _ in notes.add("\(status)") }], tag: 99)
            var note = RouteGuide.RouteNote()
            for index in 1...3 as ClosedRange<UInt64> {
                note.message = "note \(index)"
                try call.start([.sendMessage(note.encoded())], tag: index)
                #expect(try queue.next() == .completed(tag: index, success: true))
            }
            try call.start([.sendClose()], tag: 4)
            #expect(try queue.next() == .completed(tag: 4, success: true))
            var count = 0
            while true {
                let isLast = Mutex(false)
                try call.start(
                    [.receiveMessage { bytes in isLast.withLock { $0 = bytes == nil } }], tag: 5)
                var events = [try queue.next()]
                // The event of the status may arrive before.
                if events == [.completed(tag: 99, success: true)] { events = [try queue.next()] }
                #expect(events == [.completed(tag: 5, success: true)])
                if isLast.withLock({ $0 }) { break }
                count += 1
            }
            // Each note is answered with the earlier notes: none, one and two.
            #expect(count == 3)
        }
    }

    @Test("of two channels complete on one queue that is turned by hand")
    func twoChannels() async throws {
        let other = try LoopbackServer { $0.addGreeter() }
        try await onThread {
            let queue = try CompletionQueue(.byHand)
            let channels = [
                try Channel(server.target, credentials: .insecure, queue: queue),
                try Channel(other.target, credentials: .insecure, queue: queue),
            ]
            let notes = Notes()
            for tag in 0..<20 as Range<UInt64> {
                let call = try channels[Int(tag % 2)].rawCall(Self.sayHello)
                try call.start(unaryBatch(notes, "\(tag)"), tag: tag)
            }
            var tags: Set<UInt64> = []
            while tags.count < 20, case .completed(let tag, let success) = try queue.next() {
                #expect(success)
                tags.insert(tag)
            }
            #expect(tags == Set(0..<20))
            #expect(notes.all.filter { $0.hasPrefix("Hello ") }.count == 20)

            // A blocking call on one channel turns the queue for both channels.
            try channels[1].rawCall(Self.sayHello).start(unaryBatch(notes), tag: 20)
            let reply = try channels[0].blockingUnary(
                FakeChannelTests.sayHello, HelloRequest(name: "me"))
            #expect(reply.message.message == "Hello me")
            #expect(try queue.next() == .completed(tag: 20, success: true))
            #expect(server.connectionCount == 1 && other.connectionCount == 1)
            queue.shutdown()
            #expect(try queue.next() == .shutdown)
        }
    }

    @Test("with handlers call them on the queue")
    func handlers() async throws {
        let channel = try Channel(server.target, credentials: .insecure)
        let notes = Notes()
        let call = try channel.rawCall(Self.sayHello)
        let success = try await withCheckedThrowingContinuation { continuation in
            do {
                try call.start(unaryBatch(notes)) { continuation.resume(returning: $0) }
            } catch {
                continuation.resume(throwing: error)
            }
        }
        #expect(success)
        #expect(Set(notes.all) == Set(Self.everything))
    }

    @Test("end when the call is cancelled, and those that send fail")
    func cancellation() async throws {
        try await onThread {
            let queue = try CompletionQueue(.byHand)
            let channel = try Channel(server.target, credentials: .insecure, queue: queue)
            let call = try channel.rawCall(Self.chat)
            let notes = Notes()
            try call.start(
                [
                    .sendInitialMetadata([:]), .receiveMessage { notes.add("\($0 as Any)") },
                    .receiveStatus { status, _ in notes.add("\(status.code)") },
                ], tag: 1)
            call.cancel()
            #expect(try queue.next() == .completed(tag: 1, success: true))
            #expect(notes.all == ["nil", "CANCELLED"])
            try call.start([.sendMessage([1])], tag: 2)
            #expect(try queue.next() == .completed(tag: 2, success: false))
            try call.start([.receiveMessage { notes.add("late \($0 as Any)") }], tag: 3)
            #expect(try queue.next() == .completed(tag: 3, success: true))
            #expect(notes.all.last == "late nil")
        }
    }

    @Test("of a call cancelled before its start end, too")
    func cancelledEarly() async throws {
        try await onThread {
            let queue = try CompletionQueue(.byHand)
            let channel = try Channel(server.target, credentials: .insecure, queue: queue)
            let call = try channel.rawCall(Self.sayHello)
            let notes = Notes()
            try call.start([.receiveStatus { status, _ in notes.add("\(status.code)") }], tag: 1)
            call.cancel()
            #expect(try queue.next() == .completed(tag: 1, success: true))
            #expect(notes.all == ["CANCELLED"])
            try call.start([.sendInitialMetadata([:])], tag: 2)
            #expect(try queue.next() == .completed(tag: 2, success: false))
        }
    }

    static let misplaced: [([[SwiftletStyles.Operation]], String)] = [
        ([[.sendMessage([])]], "operation 'send message' comes before 'send initial metadata'"),
        ([[.sendClose()]], "operation 'send close' comes before 'send initial metadata'"),
        (
            [[.sendInitialMetadata([:])], [.sendInitialMetadata([:])]],
            "operation 'send initial metadata' was started before"
        ),
        (
            [[.sendInitialMetadata([:]), .sendInitialMetadata([:])]],
            "operation 'send initial metadata' is twice in the batch"
        ),
        (
            [[.sendInitialMetadata([:]), .sendClose()], [.sendMessage([])]],
            "operation 'send message' comes after 'send close'"
        ),
        (
            [[.sendInitialMetadata([:]), .sendClose()], [.sendClose()]],
            "operation 'send close' was started before"
        ),
        (
            [[.receiveMessage { _ in }], [.receiveMessage { _ in }]],
            "operation 'receive message' is still running"
        ),
        (
            [[.receiveStatus { _, _ in }, .receiveStatus { _, _ in }]],
            "operation 'receive status' was started before"
        ),
        (
            [[.receiveInitialMetadata { _ in }], [.receiveInitialMetadata { _ in }]],
            "operation 'receive initial metadata' was started before"
        ),
    ]

    @Test("that are not allowed are refused with the reason")
    func misplaced() async throws {
        try await onThread {
            let queue = try CompletionQueue(.byHand)
            let channel = try Channel(server.target, credentials: .insecure, queue: queue)
            for (batches, message) in Self.misplaced {
                let call = try channel.rawCall(Self.chat)
                for batch in batches.dropLast() { try call.start(batch, tag: 1) }
                let error = #expect(throws: RPCError.self) {
                    try call.start(batches.last ?? [], tag: 2)
                }
                #expect(error?.message == message)
                call.cancel()
            }
        }
    }

    @Test("keep the channel until they have started the call", arguments: [[], ["none"]])
    func lastReference(interceptors: [String]) async throws {
        try await onThread {
            let queue = try CompletionQueue(.byHand)
            // A factory may make no interceptor for a call.
            let call = try Channel(
                server.target, credentials: .insecure,
                interceptors: interceptors.map { .all(InterceptorFactory($0) { _ in nil }) },
                queue: queue
            ).rawCall(Self.sayHello)
            let notes = Notes()
            try call.start(unaryBatch(notes), tag: 1)
            #expect(try queue.next() == .completed(tag: 1, success: true))
            #expect(Set(notes.all) == Set(Self.everything))
        }
    }

    @Test("are refused by a queue that was shut down")
    func shutDown() async throws {
        try await onThread {
            let queue = try CompletionQueue(.byHand)
            let channel = try Channel(server.target, credentials: .insecure, queue: queue)
            let call = try channel.rawCall(Self.sayHello)
            queue.shutdown()
            let error = #expect(throws: RPCError.self) { try call.start([], tag: 1) }
            #expect(error?.code == .failedPrecondition)
        }
    }
}
