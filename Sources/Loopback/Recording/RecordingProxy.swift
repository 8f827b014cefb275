package import SwiftletCore

/// Forwards all calls to another server, and records them.
package struct RecordingProxy: LoopbackService {
    private let channel: Channel
    private let log: RecordingLog

    /// - Parameters:
    ///   - channel: A channel to the other server.
    ///   - log: Receives the events of the calls.
    package init(to channel: Channel, log: RecordingLog) {
        self.channel = channel
        self.log = log
    }

    package func register(in methods: inout ServerMethods) {
        methods.others { requests, replies, context in
            try await forward(requests, replies, context)
        }
    }

    private func forward(
        _ requests: RequestStream<[UInt8]>, _ replies: ReplyWriter<[UInt8]>,
        _ context: ServerContext
    ) async throws {
        let path = context.path
        let metadata = Self.forwarded(context.metadata)
        let call = log.begin(path, metadata)
        let note = { @Sendable (event: Recording.Event) in log.note(event, of: call, path) }
        do {
            let method = try Method<[UInt8], [UInt8]>(
                path: path, .bidirectional, request: .bytes, reply: .bytes)
            var options = CallOptions()
            options.metadata = metadata
            options.absoluteDeadline = context.deadline
            let trailers = try await channel.bidirectional(method, options: options) { writer in
                for try await request in requests {
                    note(.request(request))
                    try await writer.write(request)
                }
                note(.halfClose)
            } responses: { responses in
                let headers = Self.forwarded(try await responses.stream.initialMetadata)
                note(.headers(headers))
                context.sendInitialMetadata(headers)
                for try await response in responses {
                    note(.response(response))
                    try await replies.write(response)
                }
                return responses.stream.trailingMetadata ?? Metadata()
            }
            context.setTrailingMetadata(trailers)
            note(.status(.ok, trailers))
        } catch let error as RPCError {
            note(.status(error.status, error.metadata))
            throw error
        } catch {
            note(.status(Status(.cancelled, "the client cancelled the call"), Metadata()))
            throw error
        }
    }

    /// Metadata without the headers that belong to a connection or its encoding of the messages.
    private static func forwarded(_ received: Metadata) -> Metadata {
        var metadata = Metadata()
        for element in received where !MetadataRules.isReserved(element.name) {
            metadata.append(received: element.value, for: element.name)
        }
        return metadata
    }
}
