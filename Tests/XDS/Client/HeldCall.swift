import Swiftlet

/// A call whose end the script decides.
struct HeldCall {
    private let conversation: Conversation<[UInt8], [UInt8]>
    private let start = ContinuousClock.now
    private var reply = ""
    private var failure: RPCError?

    /// Opens the call and sends its first message.
    init(_ command: Command, on channel: Channel) async throws {
        let method = try Method<[UInt8], [UInt8]>(
            path: command.path ?? "", .bidirectional, request: .bytes, reply: .bytes)
        conversation = try await channel.bidirectional(method, options: command.options())
        do {
            try await conversation.requests.write(Array((command.body ?? "{}").utf8))
        } catch {
            // The call has ended. Its status is read with the replies.
        }
    }

    func closeRequest() { conversation.requests.finish() }

    func cancel() { conversation.cancel() }

    /// Waits for the first reply, or for the end of the call.
    mutating func first() async -> Outcome {
        do throws(RPCError) {
            var replies = conversation.responses.makeAsyncIterator()
            if let bytes = try await replies.next() {
                reply = String(decoding: bytes, as: UTF8.self)
            }
        } catch {
            failure = error
        }
        return await outcome()
    }

    /// Ends the request, and waits for the end of the call.
    consuming func finish() async -> Outcome {
        closeRequest()
        if failure == nil {
            do throws(RPCError) {
                for try await _ in conversation.responses {}
            } catch {
                failure = error
            }
        }
        return await outcome()
    }

    private func outcome() async -> Outcome {
        var outcome = Outcome(reply: reply)
        if let failure {
            outcome.code = failure.code.rawValue
            outcome.message = failure.message
        }
        outcome.seconds = (ContinuousClock.now - start) / .seconds(1)
        // A call that failed may have no headers.
        if let headers = try? await conversation.responses.initialMetadata {
            outcome.headers = headers.compactMap { element in
                guard case .text(let text) = element.value else { return nil }
                return [element.name, text]
            }
        }
        return outcome
    }
}
