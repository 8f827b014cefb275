import Swiftlet
import SwiftletDynamic

/// One call of a method that is known at run time, from its input to the printed responses.
struct DynamicCall: Sendable {
    let method: MethodSchema
    let format: MessageFormat
    let log: CallLog
    var options = CallOptions()
    /// Receives each response before it is printed.
    var observe: @Sendable (DynamicMessage) -> Void = { _ in }
    /// Prints the bytes of a response.
    var write: @Sendable ([UInt8]) throws -> Void = { try writeToStandardOutput($0) }

    func run(on channel: Channel, _ input: RequestInput) async throws {
        let typed = try method.dynamic()
        var metadata = channel.defaultOptions.metadata
        metadata.append(contentsOf: options.metadata)
        log.start(of: method, metadata)
        var requests = RequestMessages(
            input, as: method.input, format, isStream: method.streamsRequests)
        guard method.streamsRequests else {
            let request = try await requests.only()
            return try await printResponses(
                try await channel.serverStreaming(typed, request, options: options))
        }
        try await channel.bidirectional(typed, options: options) { [requests] writer in
            var requests = requests
            while let request = try await next(&requests) { try await writer.write(request) }
        } responses: { responses in
            try await printResponses(responses.stream)
        }
    }

    /// Returns the next request. An interrupt during the wait for input ends the call with
    /// CANCELLED, like an interrupt during the wait for responses.
    private func next(_ requests: inout RequestMessages) async throws -> DynamicMessage? {
        do {
            return try await requests.next()
        } catch is CancellationError {
            throw RPCError(.cancelled, "the call was interrupted")
        }
    }

    /// Prints each response when it arrives.
    private func printResponses(_ responses: ResponseStream<DynamicMessage>) async throws {
        do {
            if log.isEnabled { log.headers(try await responses.initialMetadata) }
            var count = 0
            for try await response in responses {
                count += 1
                guard method.streamsResponses || count == 1 else {
                    throw RPCError(.internal, "the server sent more than one response")
                }
                observe(response)
                try write(try format.output(response, isStream: method.streamsResponses))
            }
            guard method.streamsResponses || count == 1 else {
                throw RPCError(.internal, "the server sent no response")
            }
        } catch let error as RPCError {
            log.end(trailers: error.metadata, error.timeline)
            throw error
        }
        log.end(trailers: responses.trailingMetadata ?? Metadata(), responses.timeline)
    }
}
