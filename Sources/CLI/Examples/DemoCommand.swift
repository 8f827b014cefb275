import Swiftlet
import SwiftletLoopback

/// Makes the four shapes of call on a server inside the program.
enum DemoCommand: Command {
    static let name = "demo"
    static let usage = "demo"
    static let purpose = "calls all four shapes of call on a server inside the program"
    static let examples = ["demo"]

    static func run(_ arguments: Arguments) async throws {
        try arguments.expectAtMost(0)
        let server = try StartFailure.instead {
            try LoopbackServer { server in
                server.addGreeter()
                server.addRouteGuide()
            }
        }
        print("a server listens on \(server.target)")
        let channel = try Channel(server.target, credentials: .insecure)

        print("unary: SayHello")
        let reply = try await Greeter(channel: channel).sayHello(.init(name: "world"))
        print("  \(reply.message)")

        let guide = RouteGuideClient(channel: channel)
        print("unary: GetFeature")
        try await RouteCommand.feature(guide)
        print("server streaming: ListFeatures")
        try await RouteCommand.list(guide)
        print("client streaming: RecordRoute")
        try await RouteCommand.record(guide)
        print("bidirectional: RouteChat")
        try await RouteCommand.chat(guide)

        await channel.close()
        server.shutdown()
        print("ok")
    }
}
