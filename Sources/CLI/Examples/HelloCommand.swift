import Swiftlet
import SwiftletServices

/// Calls `helloworld.Greeter`.
enum HelloCommand: Command {
    static let name = "hello"
    static let usage = "hello NAME [TARGET] \(ChannelOptions.usage)"
    static let purpose = "greets through the Greeter at TARGET (\(ChannelOptions.defaultTarget))"
    static let examples = ["hello world", "hello world localhost:50051"]
    static let options = ChannelOptions.all

    static func run(_ arguments: Arguments) async throws {
        let name = try arguments.word(0, "NAME")
        try arguments.expectAtMost(2)
        let target = arguments.words.count > 1 ? arguments.words[1] : ChannelOptions.defaultTarget
        let channel = try ChannelOptions.channel(target, arguments)
        try await channel.closing {
            printText(try await Greeter(channel: channel).sayHello(.init(name: name)).message)
        }
    }
}
