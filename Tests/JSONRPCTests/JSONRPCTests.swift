import Foundation
import Swiftlet
import SwiftletJSONRPC
import SwiftletLoopback
import SwiftletObservation
import Synchronization
import Testing

/// A small server of JSON-RPC.
private func answer(_ request: JSONValue) -> JSONValue? {
    guard case .object(let fields) = request, case .string(let method)? = fields["method"],
        fields["jsonrpc"] == "2.0"
    else {
        return error(-32_600, "invalid request", id: nil)
    }
    guard let id = fields["id"] else { return nil }
    switch (method, fields["params"]) {
    case ("sum", .array(let numbers)?):
        let sum = numbers.reduce(0) { sum, number in
            if case .integer(let value) = number { sum + value } else { sum }
        }
        return .object(["jsonrpc": "2.0", "id": id, "result": .integer(sum)])
    case ("nothing", nil): return .object(["jsonrpc": "2.0", "id": id, "result": .null])
    case ("stranger", _): return .object(["jsonrpc": "2.0", "id": "other", "result": 1])
    case ("extra", _):
        return .object(["jsonrpc": "2.0", "id": id, "result": fields["tenant"] ?? .null])
    case ("fail", _):
        return .object([
            "jsonrpc": "2.0", "id": id,
            "error": .object([
                "code": 7, "message": "no", "data": .object(["why": "because"]),
            ]),
        ])
    default: return error(-32_601, "no method \(method)", id: id)
    }
}

private func error(_ code: Int, _ message: String, id: JSONValue?) -> JSONValue {
    .object([
        "jsonrpc": "2.0", "id": id ?? .null,
        "error": .object(["code": .integer(code), "message": .string(message)]),
    ])
}

/// The requests that the server received, in order.
private final class RequestLog: Sendable {
    private let requests = Mutex<[JSONValue]>([])

    func append(_ request: JSONValue) { requests.withLock { $0.append(request) } }

    /// The fields of the last request, or of each request in the last batch.
    func last() throws -> [[String: JSONValue]] {
        let request = try #require(requests.withLock { $0.last })
        let entries = if case .array(let entries) = request { entries } else { [request] }
        return try entries.map { entry in
            guard case .object(let fields) = entry else { throw RPCError(.internal, "\(entry)") }
            return fields
        }
    }
}

@Suite("JSON-RPC", .timeLimit(.minutes(5)))
struct JSONRPCTests {
    private let log: RequestLog
    let server: LoopbackServer
    let client: RPCClient<JSONRPC>

    init() throws {
        let log = RequestLog()
        self.log = log
        server = try LoopbackServer { server in
            server.addGreeter()
            server.http("/rpc") { request in
                guard let value: JSONValue = try? JSONBody.decode(request.body) else {
                    return HTTPReply(
                        contentType: "application/json",
                        body: (try? JSONBody.encode(error(-32_700, "no JSON", id: nil))) ?? [])
                }
                log.append(value)
                var reply: JSONValue?
                if case .array(let entries) = value {
                    // In reverse order, because any order is allowed.
                    let answers = entries.reversed().compactMap { answer($0) }
                    reply = answers.isEmpty ? nil : .array(answers)
                } else {
                    reply = answer(value)
                }
                let body = reply.flatMap { try? JSONBody.encode($0) } ?? []
                return HTTPReply(
                    status: body.isEmpty ? 204 : 200, contentType: "application/json", body: body)
            }
            server.http("/broken") { _ in
                HTTPReply(contentType: "text/html", body: Array("<html>".utf8))
            }
            server.http("/down") { _ in
                HTTPReply(status: 503, contentType: "text/plain", body: Array("later".utf8))
            }
            server.http("/mixed") { request in
                let entries: [[String: JSONValue]] = (try? JSONBody.decode(request.body)) ?? []
                let ids = entries.map { if case .string(let id)? = $0["id"] { id } else { "" } }
                let answers = [
                    #"{"jsonrpc":"2.0","id":"\#(ids[0])","result":123456789012345678901234567890}"#,
                    #"7"#,
                    #"{"jsonrpc":"2.0", "id":"\#(ids[1])","error":{"code":-32000}}"#,
                    #"{"jsonrpc":"2.0","id":"\#(ids[2])","result":["a,]\"}", {"b":[]}] }"#,
                ]
                return HTTPReply(
                    contentType: "application/json",
                    body: Array("[ \(answers.joined(separator: " ,")) ]".utf8))
            }
            server.http("/gone") { _ in
                let body = try? JSONBody.encode(error(-32_601, "no such method", id: nil))
                return HTTPReply(status: 404, contentType: "application/json", body: body ?? [])
            }
            server.http("/silent") { _ in
                try? await Task.sleep(for: .seconds(60))
                return HTTPReply(contentType: "text/plain", body: [])
            }
            server.http("/api/echo") { request in
                HTTPReply(contentType: "application/json", body: request.body)
            }
            server.http("/api/reverse") { request in
                let isRight =
                    request.headers["content-type"] == "image/x-own"
                    && request.headers["accept"] == "*/*"
                return HTTPReply(
                    status: isRight ? 200 : 415, contentType: "image/x-own",
                    body: request.body.reversed())
            }
        }
        client = RPCClient(
            channel: try Channel(server.target, credentials: .insecure), JSONRPC(path: "/rpc"))
    }

    @Test("gives results their type, and shares the connection with gRPC")
    func results() async throws {
        let sum: Int = try await client.call("sum", [1, 2, 3])
        #expect(sum == 6)
        _ = try await client.call("nothing", NoParameters(), returning: NoResult.self)
        _ = try await client.channel.unary(
            Method<HelloRequest, HelloReply>("/helloworld.Greeter/SayHello", .unary),
            HelloRequest(name: "you"))
        #expect(server.connectionCount == 1)
    }

    @Test("gives errors their code, message and data")
    func errors() async throws {
        let failure = await #expect(throws: JSONRPCError.self) {
            try await client.call("fail", [1], returning: Int.self)
        }
        #expect(
            failure
                == JSONRPCError(code: 7, message: "no", data: .object(["why": "because"])))
        let unknown = await #expect(throws: JSONRPCError.self) {
            try await client.call("unheard", [1], returning: Int.self)
        }
        #expect(unknown?.code == JSONRPCError.methodNotFoundCode)
    }

    @Test("checks the ID, the JSON and the HTTP status of an answer")
    func strictness() async throws {
        let stranger = await #expect(throws: RPCError.self) {
            try await client.call("stranger", [1], returning: Int.self)
        }
        #expect(stranger?.message.contains("'other'") == true)
        let broken = await #expect(throws: RPCError.self) {
            try await RPCClient(channel: client.channel, JSONRPC(path: "/broken"))
                .call("x", [1], returning: Int.self)
        }
        #expect(broken?.message.contains("<html>") == true)
        let down = await #expect(throws: RPCError.self) {
            try await RPCClient(channel: client.channel, JSONRPC(path: "/down"))
                .call("x", [1], returning: Int.self)
        }
        #expect(down?.code == .unavailable)
        #expect(down?.message == "the server answered HTTP 503 'later'")
        let wrongType = await #expect(throws: RPCError.self) {
            try await client.call("sum", [1], returning: String.self)
        }
        #expect(wrongType?.code == .internal)
    }

    @Test("sends additional fields, and notifications without an answer")
    func extras() async throws {
        let extra = RPCClient(
            channel: client.channel, JSONRPC(path: "/rpc", additionalFields: ["tenant": "t7"]))
        let tenant: String = try await extra.call("extra", [1])
        #expect(tenant == "t7")
        try await extra.notify("sum", [1, 2])
        #expect(
            try log.last() == [
                ["jsonrpc": "2.0", "method": "sum", "params": .array([1, 2]), "tenant": "t7"]
            ])
        try await client.notify("nothing", NoParameters())
        #expect(try log.last() == [["jsonrpc": "2.0", "method": "nothing"]])
    }

    @Test("sends additional fields in place of the standard ones of the same names")
    func ownFields() async throws {
        let extra = RPCClient(
            channel: client.channel,
            JSONRPC(path: "/rpc", additionalFields: ["params": .array([3, 4]), "id": 5]))
        let sum: Int = try await extra.call("sum", [1, 2])
        #expect(sum == 7)
        #expect(
            try log.last() == [
                ["jsonrpc": "2.0", "method": "sum", "params": .array([3, 4]), "id": 5]
            ])
        // A notification has no ID, and the requests of a batch have their own IDs.
        try await extra.notify("nothing", NoParameters())
        #expect(
            try log.last() == [
                ["jsonrpc": "2.0", "method": "nothing", "params": .array([3, 4])]
            ])
        var batch = JSONRPCBatch()
        let tickets = (0..<2).map { _ in batch.add("sum", [1], returning: Int.self) }
        let answers = try await extra.send(batch)
        for ticket in tickets { #expect(try answers[ticket] == 7) }
    }

    @Test("sends additional fields of one call, over those of the protocol")
    func fieldsOfACall() async throws {
        let extra = RPCClient(
            channel: client.channel, JSONRPC(path: "/rpc", additionalFields: ["tenant": "t7"]))
        let mine: String = try await extra.call("extra", [1], additionalFields: ["tenant": "t8"])
        #expect(mine == "t8")
        let theirs: String = try await extra.call("extra", [1])
        #expect(theirs == "t7")
    }

    @Test("sends IDs in lower case, and equal parameters as equal bytes")
    func sortedKeys() throws {
        let ticket = RPCTicket()
        #expect(ticket.id == ticket.id.lowercased() && ticket.id.count == 36)
        let kind = JSONRPC(path: "/rpc", additionalFields: ["a": 1, "z": 2])
        let body = try kind.box(
            method: "sum", parameters: ["b": 1, "a": 2], ticket: RPCTicket(id: "i"))
        #expect(
            String(decoding: body, as: UTF8.self)
                == #"{"a":1,"id":"i","jsonrpc":"2.0","method":"sum","params":{"a":2,"b":1},"z":2}"#)
    }

    @Test("reads each answer of a batch separately, with all digits of numbers")
    func mixedBatch() async throws {
        let mixed = RPCClient(channel: client.channel, JSONRPC(path: "/mixed"))
        var batch = JSONRPCBatch()
        let large = batch.add("a", [1], returning: Decimal.self)
        let broken = batch.add("b", [1], returning: Int.self)
        let nested = batch.add("c", [1], returning: [JSONValue].self)
        let answers = try await mixed.send(batch)
        #expect(try answers[large] == Decimal(string: "123456789012345678901234567890"))
        #expect(throws: RPCError.self) { try answers[broken] }
        #expect(try answers[nested] == ["a,]\"}", .object(["b": .array([])])])
    }

    @Test("recognizes an error by its body, with any HTTP status")
    func errorWithStatus() async throws {
        let gone = RPCClient(channel: client.channel, JSONRPC(path: "/gone"))
        let error = await #expect(throws: JSONRPCError.self) {
            try await gone.call("x", [1], returning: Int.self)
        }
        #expect(error?.code == JSONRPCError.methodNotFoundCode)
    }

    @Test("sends only parameters that are an array or an object")
    func parameters() async throws {
        let error = await #expect(throws: RPCError.self) {
            try await client.call("sum", 5, returning: Int.self)
        }
        #expect(error?.code == .invalidArgument)
        // Types with several properties that are encoded as a single value.
        struct Order: RawRepresentable, Encodable { var rawValue: Int }
        for refused in [UUID(), Order(rawValue: 7), Data([1]), URL(filePath: "/")]
            as [any Encodable & Sendable]
        {
            let error = await #expect(throws: RPCError.self) {
                try await client.notify("sum", refused)
            }
            #expect(error?.code == .invalidArgument)
        }
        let none: [Int]? = nil
        _ = try await client.call("nothing", none, returning: NoResult.self)
        let some: [Int]? = [1, 2]
        let sum: Int = try await client.call("sum", some)
        #expect(sum == 3)
    }

    @Test("sends batches, whose answers may have any order")
    func batches() async throws {
        var batch = JSONRPCBatch()
        let three = batch.add("sum", [1, 2], returning: Int.self)
        batch.notify("sum", [9])
        let failing = batch.add("fail", [1], returning: Int.self)
        let seven = batch.add("sum", [3, 4], returning: Int.self)
        let answers = try await client.send(batch)
        #expect(try log.last().map { $0["id"] == nil } == [false, true, false, false])
        #expect(answers.count == 3)
        #expect(try answers[three] == 3)
        #expect(try answers[seven] == 7)
        #expect(throws: JSONRPCError.self) { try answers[failing] }
        var silent = JSONRPCBatch()
        silent.notify("sum", [1])
        #expect(try await client.send(silent).count == 0)
        var other = JSONRPCBatch()
        let elsewhere = other.add("sum", [1], returning: Int.self)
        #expect(throws: RPCError.self) { try answers[elsewhere] }
    }

    @Test("keeps integers whole that are larger than an Int")
    func largeIntegers() throws {
        let text = "[18446744073709551615,-9223372036854775808,1.5]"
        let values = try JSONDecoder().decode([JSONValue].self, from: Data(text.utf8))
        #expect(values == [.unsigned(.max), .integer(.min), .number(1.5)])
        let bytes = try JSONEncoder().encode(values)
        #expect(String(decoding: bytes, as: UTF8.self) == text)
    }

    @Test("supports deadlines, cancellation and interceptors")
    func calls() async throws {
        var slow = RPCClient(channel: client.channel, JSONRPC(path: "/silent"))
        slow.options.timeout = .milliseconds(20)
        let hurried = slow
        let late = await #expect(throws: RPCError.self) {
            try await hurried.call("x", [1], returning: Int.self)
        }
        #expect(late?.code == .deadlineExceeded)

        let silent = RPCClient(channel: client.channel, JSONRPC(path: "/silent"))
        let task = Task { try await silent.call("x", [1], returning: Int.self) }
        task.cancel()
        let cancelled = await #expect(throws: RPCError.self) { try await task.value }
        #expect(cancelled?.code == .cancelled)

        let totals = MetricTotals([.callDuration], recordsAllPaths: true)
        var arguments = ChannelArguments()
        arguments.metricSinks = [totals]
        let measured = RPCClient(
            channel: try Channel(server.target, credentials: .insecure, arguments: arguments),
            JSONRPC(path: "/rpc"))
        let sum: Int = try await measured.call("sum", [2, 2])
        #expect(sum == 4)
        let labels = try #require(totals[.callDuration].keys.first)
        #expect(labels.contains(MetricLabel("grpc.method", "rpc")))
        #expect(labels.contains(MetricLabel("grpc.status", "OK")))
    }

    @Test("is one of several protocols; without a protocol, a body is sent unchanged")
    func plain() async throws {
        let plain = RPCClient(channel: client.channel, PlainBodies(prefix: "/api/"))
        let echoed: [String] = try await plain.call("echo", ["a", "b"])
        #expect(echoed == ["a", "b"])
        let none: [Int] = try await plain.call("echo", [Int]())
        #expect(none == [])
    }

    @Test("without a protocol sends bytes unchanged, with the given content type")
    func bytes() async throws {
        let plain = RPCClient(
            channel: client.channel,
            PlainBodies(prefix: "/api/", contentType: "image/x-own", accept: "*/*"))
        let array: [UInt8] = try await plain.call("reverse", [0, 1, 0xff] as [UInt8])
        #expect(array == [0xff, 1, 0])
        let data: Data = try await plain.call("reverse", Data([7, 8]))
        #expect(data == Data([8, 7]))
    }

    @Test("refuses answers above the limit")
    func limit() async throws {
        var small = RPCClient(channel: client.channel, PlainBodies(prefix: "/api/"))
        small.options.maxReceiveByteCount = 10
        let limited = small
        let error = await #expect(throws: RPCError.self) {
            try await limited.call("echo", ["a long enough text"], returning: [String].self)
        }
        #expect(error?.code == .resourceExhausted)
    }

    @Test("is answered by a fake if the test sets the IDs of the requests")
    func fake() async throws {
        let fake = try FakeChannel()
        let client = RPCClient(channel: fake.channel, JSONRPC(path: "/rpc")) { RPCTicket(id: "a") }
        let answer = #"{"jsonrpc": "2.0", "id": "a", "result": 6}"#
        try fake.respond(to: "/rpc").send(
            HTTPReply(contentType: "application/json", body: Array(answer.utf8)))
        #expect(try await client.call("sum", [1, 2, 3], returning: Int.self) == 6)

        try fake.respond(to: "/rpc").send(
            HTTPReply(contentType: "application/json", body: Array("[\(answer)]".utf8)))
        var batch = JSONRPCBatch()
        let sum = batch.add("sum", [1, 2, 3], returning: Int.self, ticket: RPCTicket(id: "a"))
        #expect(try await client.send(batch)[sum] == 6)
    }
}
