import Swiftlet
import SwiftletDynamic
import SwiftletLoopback

/// Forwards calls to a server, and writes them to a file.
enum RecordCommand: Command {
    static let name = "record"
    static let usage =
        "record TARGET --to FILE [--port PORT] [--keep-secrets] "
        + "\(SchemaOptions.usage) \(ChannelOptions.usage)"
    static let purpose = """
        listens on 127.0.0.1, passes all calls on to TARGET, and writes them to FILE, one JSON object
              a line. 'swiftlet replay' and the test library answer calls from the file
        """
    static let examples = [
        "record localhost:50051 --to calls.jsonl --port 50052",
        "record api.example.com:443 --to calls.jsonl -H 'authorization: Bearer TOKEN'",
    ]
    static let options: [CommandOption] =
        [
            .value("to", named: "FILE", help: "the file to write; replaced if it exists"),
            .flag(
                "keep-secrets",
                help: "writes values that authenticate callers, which are hidden otherwise"),
        ] + ServerOptions.listening + SchemaOptions.all + ChannelOptions.all

    static func run(_ arguments: Arguments) async throws {
        let target = try arguments.word(0, "TARGET")
        try arguments.expectAtMost(1)
        guard let path = arguments["--to"] else {
            throw UsageError(message: "--to FILE is missing")
        }
        let address = try ServerOptions.address(arguments)
        let localSchema = try SchemaOptions.localSchema(arguments)
        // Callers set the time limits of their calls, and the two sides the size of messages.
        let channel = try ChannelOptions.channel(target, arguments, timeout: nil) {
            $0.maxReceiveMessageByteCount = Int(Int32.max)
        }
        let file = try OutputFile(path, isPrivate: true)
        try await channel.closing {
            let schema = await schema(
                localSchema, ServerReflection(channel: channel, target: target))
            let log = RecordingLog(
                keepsSecrets: arguments.has("--keep-secrets"),
                describe: { Self.json($2, path: $0, isRequest: $1, schema) },
                to: { line in
                    do throws(FileError) {
                        try file.write(Array(line.utf8))
                    } catch {
                        printToStandardError("swiftlet: cannot write '\(path)': \(error.reason)")
                        leave(with: 1)
                    }
                })
            let server = try StartFailure.instead {
                try LoopbackServer(on: address) {
                    $0.maxRequestByteCount = Int(Int32.max)
                    $0.add(RecordingProxy(to: channel, log: log))
                }
            }
            // Only now: an earlier recording must not be lost when the server cannot listen.
            try file.removeContent()
            try await ServerOptions.serve(
                with: server, "recording the calls to \(target) in \(path)")
        }
    }

    /// The schema of the messages that are also written as JSON; nil if there is none.
    private static func schema(_ local: Schema?, _ reflection: ServerReflection) async -> Schema? {
        if let local { return local }
        do {
            return try await reflection.schemaOfDescribedServices().schema
        } catch {
            let reason = (error as? RPCError).map(Main.text) ?? "\(error)"
            printToStandardError("swiftlet: messages are recorded without their JSON: \(reason)")
            return nil
        }
    }

    /// The message as JSON; nil if the schema does not have the method, or the bytes are not a message of its type.
    private static func json(
        _ bytes: [UInt8], path: String, isRequest: Bool, _ schema: Schema?
    ) -> String? {
        guard let end = path.lastIndex(of: "/"), let schema,
            let method = schema.service(String(path[..<end].dropFirst()))?
                .method(String(path[path.index(after: end)...]))
        else { return nil }
        // The bytes are recorded even if there is no JSON.
        return try? DynamicMessage(decoding: bytes, as: isRequest ? method.input : method.output)
            .json()
    }
}
