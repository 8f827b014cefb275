import Shop
import Swiftlet
import SwiftletDynamic
import SwiftletLoopback
import SwiftletStyles
import Synchronization
import Testing

/// Doubles prices, and repeats orders.
private struct Pricing: Shop.OrdersService {
    func price(_ request: Shop.Order, _ context: ServerContext) async throws -> Shop.Order {
        priced(request)
    }

    func follow(
        _ request: Shop.Order, _ replies: ReplyWriter<Shop.Order>, _ context: ServerContext
    ) async throws {
        for _ in 0..<2 { try await replies.write(request) }
    }

    func sum(
        _ requests: RequestStream<Shop.Order>, _ context: ServerContext
    ) async throws -> Money.Amount {
        var sum = Money.Amount()
        for try await order in requests { sum.cents += order.price?.cents ?? 0 }
        return sum
    }

    func priceAll(
        _ requests: RequestStream<Shop.Order>, _ replies: ReplyWriter<Shop.Order>,
        _ context: ServerContext
    ) async throws {
        for try await order in requests { try await replies.write(priced(order)) }
    }

    private func priced(_ order: Shop.Order) -> Shop.Order {
        var order = order
        order.price = .init(cents: 2 * (order.price?.cents ?? 0))
        return order
    }
}

@Suite("Source of the plug-in")
struct PluginTests {
    private let server: LoopbackServer
    private let client: Shop.OrdersClient
    private let order = Shop.Order(item: "tea", price: .init(cents: 21))

    init() throws {
        server = try LoopbackServer { $0.add(Pricing()) }
        client = Shop.OrdersClient(
            channel: try Channel(server.target, credentials: .insecure))
    }

    @Test("has messages that match the schema, imported ones included")
    func messages() throws {
        let schema = try Schema(
            ProtoCompiler(reading: ProtoDirectories(pluginFolders).read)
                .compile(["shop/order.proto"]))
        try check(Shop.Order.self, against: schema)
        try check(Money.Amount.self, against: schema)
    }

    @Test("calls with async functions")
    func asynchronous() async throws {
        #expect(try await client.price(order).price?.cents == 42)
        let sum = try await client.sum { writer in
            for _ in 0..<3 { try await writer.write(order) }
        }
        #expect(sum.cents == 63)
    }

    @Test("calls with handlers")
    func handlers() async throws {
        let reply = await withCheckedContinuation { continuation in
            // `startPrice` throws only if the request cannot be encoded.
            #expect(throws: Never.self) {
                try client.startPrice(order) { continuation.resume(returning: $0) }
            }
        }
        #expect(try reply.get().message.price?.cents == 42)

        let names = Mutex<[String]>([])
        let followed = await withCheckedContinuation { continuation in
            let handlers = ResponseHandlers<Shop.Order>(
                message: { order in names.withLock { $0.append(order.item) } },
                end: { continuation.resume(returning: $0) })
            #expect(throws: Never.self) { try client.startFollow(order, handlers: handlers) }
        }
        #expect(throws: Never.self) { try followed.get() }
        #expect(names.withLock { $0 } == ["tea", "tea"])

        let sum = try await withCheckedThrowingContinuation { continuation in
            let call = client.startSum { continuation.resume(with: $0.map(\.message)) }
            do {
                try call.write(order)
                call.finish()
            } catch {
                continuation.resume(throwing: error)
            }
        }
        #expect(sum.cents == 21)
    }

    @Test("calls that block")
    func blocking() throws {
        #expect(try client.blockingPrice(order).price?.cents == 42)
        let followed = try client.blockingFollow(order)
        #expect(try followed.next()?.item == "tea")
        #expect(try followed.next()?.item == "tea")
        #expect(try followed.next() == nil)
        #expect(try client.blockingSum { try $0.write(order) }.cents == 21)
        let all = client.blockingPriceAll()
        try all.write(order)
        all.finish()
        #expect(try all.next()?.price?.cents == 42)
    }

    @Test("calls with futures")
    func futures() throws {
        #expect(try client.priceCall(order).response.wait().price?.cents == 42)
        let count = Atomic(0)
        let followed = client.followCall(order) { _ in count.add(1, ordering: .relaxed) }
        #expect(try followed.status.wait().code == .ok)
        #expect(count.load(ordering: .relaxed) == 2)
        let sum = client.sumCall()
        sum.sendMessage(order)
        sum.sendEnd()
        #expect(try sum.response.wait().cents == 21)
        let priced = Mutex<Int64>(0)
        let all = client.priceAllCall { order in
            priced.withLock { $0 = order.price?.cents ?? 0 }
        }
        all.sendMessage(order)
        all.sendEnd()
        #expect(try all.status.wait().code == .ok)
        #expect(priced.withLock { $0 } == 42)
    }
}
