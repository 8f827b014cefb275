import Swiftlet

/// Prints the connectivity of a channel as it changes.
enum StateCommand: Command {
    static let name = "state"
    static let usage = "state TARGET [--watch] \(ChannelOptions.usage)"
    static let purpose = """
        connects, and prints each state of the channel with the time since the start. Ends when the
              channel is ready, or with status 78 (UNAVAILABLE) when the attempt fails
        """
    static let examples = ["state localhost:50051", "state api.example.com:443 --watch"]
    static let options: [CommandOption] =
        [.flag("watch", help: "continues until it is interrupted")] + ChannelOptions.all

    static func run(_ arguments: Arguments) async throws {
        let target = try arguments.word(0, "TARGET")
        try arguments.expectAtMost(1)
        let channel = try ChannelOptions.channel(target, arguments)
        try await channel.closing {
            let start = ContinuousClock.now
            let changes = channel.connectivityChanges
            channel.connect()
            for await state in changes {
                print("\(start.duration(to: .now).paddedMilliseconds)  \(state.name)")
                flushOutput()
                guard !arguments.has("--watch") else { continue }
                if state == .ready { return }
                if state == .transientFailure {
                    throw ExitStatus(status: 64 + Int32(StatusCode.unavailable.rawValue))
                }
            }
            try Task.checkCancellation()
        }
    }
}

extension ConnectivityState {
    /// The name of the state in gRPC's documents.
    fileprivate var name: String {
        switch self {
        case .idle: "IDLE"
        case .connecting: "CONNECTING"
        case .ready: "READY"
        case .transientFailure: "TRANSIENT_FAILURE"
        case .shutdown: "SHUTDOWN"
        }
    }
}
