import Swiftlet
import SwiftletLoopback

/// Answers calls from a recording.
enum ReplayCommand: Command {
    static let name = "replay"
    static let usage = "replay FILE [--port PORT] [--keep-times]"
    static let purpose = """
        listens on 127.0.0.1 and answers calls from a file of 'swiftlet record': each gets the answer
              of a recorded call of the same method, if possible of one with the same request
        """
    static let examples = ["replay calls.jsonl --port 50052", "replay calls.jsonl --keep-times"]
    static let options: [CommandOption] =
        [.flag("keep-times", help: "answers as slowly as the recorded server")]
        + ServerOptions.listening

    static func run(_ arguments: Arguments) async throws {
        let path = try arguments.word(0, "FILE")
        try arguments.expectAtMost(1)
        let address = try ServerOptions.address(arguments)
        let text = String(decoding: try Arguments.contents(of: path), as: UTF8.self)
        let recording: Recording
        do throws(RPCError) {
            recording = try Recording(text)
        } catch {
            throw UsageError(message: "\(path): \(error.message)", isAboutUsage: false)
        }
        let server = try StartFailure.instead {
            try LoopbackServer(on: address) {
                // The recorded server accepted the requests.
                $0.maxRequestByteCount = Int(Int32.max)
                $0.add(ReplayService(recording, keepsTimes: arguments.has("--keep-times")))
            }
        }
        let count = recording.calls.count
        try await ServerOptions.serve(
            with: server, "answering from \(count) recorded call\(count == 1 ? "" : "s")")
    }
}
