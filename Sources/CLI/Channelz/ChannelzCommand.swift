import Swiftlet
import SwiftletDynamic
import SwiftletLoopback

/// Prints the entities that the service `grpc.channelz.v1.Channelz` of a server describes.
enum ChannelzCommand: Command {
    static let name = "channelz"
    static let usage = "channelz TARGET [--format text|json] [-v] \(ChannelOptions.usage)"
    static let purpose = """
        prints the channels, subchannels, sockets and servers of a program that offers channelz,
              with their states and counts of calls. Reads 10,000 of them at most, and 64 MiB
        """
    static let examples = [
        "channelz localhost:50051", "channelz localhost:50051 -v",
        "channelz api.example.com:443 --format json",
    ]
    static let options: [CommandOption] =
        [
            .value("format", named: "text|json", help: "the form of the output; default: text"),
            .flag("v", "verbose", help: "prints events, windows and options of sockets, too"),
        ] + ChannelOptions.all

    static func run(_ arguments: Arguments) async throws {
        let target = try arguments.word(0, "TARGET")
        try arguments.expectAtMost(1)
        let format = try arguments.choice("--format", as: ListingFormat.self) ?? .text
        let channel = try ChannelOptions.channel(target, arguments)
        try await channel.closing {
            var reader = try ChannelzReader(channel: channel, target: target)
            let listing = try await reader.read()
            switch format {
            case .text: print(try ChannelzText.text(of: listing, isVerbose: arguments.isVerbose))
            case .json:
                let message = try reader.message(
                    of: listing.withoutUnprintable { id, error in
                        printToStandardError("swiftlet: \(id) is left out: \(error)")
                    })
                try writeToStandardOutput(
                    MessageFormat(name: .json).output(message, isStream: false))
            }
            guard !listing.isComplete else { return }
            printToStandardError("swiftlet: the server has more entities than are shown")
        }
    }
}
