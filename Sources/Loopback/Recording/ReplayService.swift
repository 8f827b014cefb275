import SwiftletCore
import Synchronization

/// Answers calls from a recording.
///
/// A call gets the answer of a recorded call with the same path and the same first request. If there is none,
/// it gets the answer of any recorded call with the same path. If several recorded calls match, the least
/// used one is chosen, and among equally used ones the earliest. If in one of the recorded calls of the path
/// the server answered first, requests are not compared.
///
/// If a part of the answer was recorded after N requests, it is sent after N requests have arrived. Requests
/// after the first are not compared with the recorded ones.
///
/// If the end of a recorded call is missing, the replayed call ends with UNAVAILABLE. Paths without a
/// recorded call are UNIMPLEMENTED.
public final class ReplayService: LoopbackService {
    private let calls: [String: [Recording.Call]]
    private let keepsTimes: Bool
    /// The number of uses of each call of a path.
    private let useCounts: Mutex<[String: [Int]]>

    /// Makes a service that answers from a recording.
    ///
    /// - Parameters:
    ///   - recording: The calls.
    ///   - keepsTimes: Whether each part of an answer waits until its recorded time, counted from the start
    ///     of the call. Default: false.
    public init(_ recording: Recording, keepsTimes: Bool = false) {
        let calls = Dictionary(grouping: recording.calls, by: \.path)
        self.calls = calls
        self.keepsTimes = keepsTimes
        useCounts = Mutex(calls.mapValues { Array(repeating: 0, count: $0.count) })
    }

    /// Registers the paths of the recording.
    public func register(in methods: inout ServerMethods) {
        for path in calls.keys {
            let method = Method<[UInt8], [UInt8]>(
                trusted: path, .bidirectional, request: .bytes, reply: .bytes)
            methods.bidirectional(method) { requests, replies, context in
                try await self.answer(requests, replies, context)
            }
        }
    }

    private func answer(
        _ requests: RequestStream<[UInt8]>, _ replies: ReplyWriter<[UInt8]>,
        _ context: ServerContext
    ) async throws {
        let start = ContinuousClock.now
        let recorded = calls[context.path] ?? []
        var iterator = requests.makeAsyncIterator()
        var isFirstRead = recorded.allSatisfy(\.beginsWithRequest)
        let first = isFirstRead ? try await iterator.next() : nil
        guard let call = choose(context.path, recorded, first) else { return }
        for (time, event) in call.events {
            switch event {
            case .request:
                if !isFirstRead { _ = try await iterator.next() }
                isFirstRead = false
                continue
            case .halfClose:
                while try await iterator.next() != nil {}
                continue
            case .headers, .response, .status: break
            }
            if keepsTimes, case let rest = time - start.duration(to: .now), rest > .zero {
                try await context.sleep(for: rest)
            }
            switch event {
            case .headers(let metadata): context.sendInitialMetadata(metadata)
            case .response(let bytes): try await replies.write(bytes)
            case .status(let status, let metadata):
                context.setTrailingMetadata(metadata)
                if let error = RPCError(status) { throw error }
                return
            case .request, .halfClose: break
            }
        }
        throw RPCError(.unavailable, "the recording of the call has no end")
    }

    /// Chooses the recorded call that answers a call, and counts one use of it.
    private func choose(
        _ path: String, _ recorded: [Recording.Call], _ first: [UInt8]?
    ) -> Recording.Call? {
        let equal = recorded.indices.filter { recorded[$0].firstRequest == first }
        let candidates = equal.isEmpty ? Array(recorded.indices) : equal
        return useCounts.withLock { counts in
            let uses = counts[path] ?? []
            guard let index = candidates.min(by: { uses[$0] < uses[$1] }) else { return nil }
            counts[path]?[index] += 1
            return recorded[index]
        }
    }
}

extension Recording.Call {
    fileprivate var firstRequest: [UInt8]? {
        for case (_, .request(let bytes)) in events { return bytes }
        return nil
    }

    /// Whether the client sent a request, or the end of its requests, before the server answered.
    fileprivate var beginsWithRequest: Bool {
        switch events.first?.event {
        case .request, .halfClose: true
        case .headers, .response, .status, nil: false
        }
    }
}
