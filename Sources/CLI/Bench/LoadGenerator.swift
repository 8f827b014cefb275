import Swiftlet
import SwiftletDynamic

/// Makes the calls of a benchmark.
struct LoadGenerator: Sendable {
    let method: Method<[UInt8], Int>
    let requests: LoadRequests
    let schedule: LoadSchedule
    private let progress = LoadProgress()

    init(_ schema: MethodSchema, requests: LoadRequests, schedule: LoadSchedule) throws {
        method = try Method(path: schema.path, schema.shape, request: .bytes, reply: .byteCount)
        self.requests = requests
        self.schedule = schedule
    }

    /// Runs `concurrency` workers, distributed over the channels. Cancelling the task stops the workers. The
    /// result then contains the measurements until this time.
    ///
    /// - Parameters:
    ///   - channels: The channels; at least one.
    ///   - concurrency: The count of workers, each of which makes one call at a time.
    ///   - isShown: Whether a line on the standard error shows the progress.
    func run(on channels: [Channel], concurrency: Int, isShown: Bool) async -> LoadResult {
        async let _: Void = isShown ? progress.show(since: .now) : ()
        var result = await withTaskGroup(of: LoadResult.self) { group in
            for index in 0..<concurrency {
                group.addTask { await work(index, on: channels[index % channels.count]) }
            }
            return await group.reduce(into: LoadResult()) { $0.merge($1) }
        }
        result.duration = schedule.measurementStart.duration(to: .now)
        return result
    }

    private func work(_ number: Int, on channel: Channel) async -> LoadResult {
        // A reference: a large value that is changed between suspensions is copied in many places.
        let measured = Measured()
        while let ticket = nextTicket() {
            if let due = ticket.due, due > .now {
                do { try await Task.sleep(until: due, clock: .continuous) } catch { break }
            }
            let begin = ContinuousClock.now
            let outcome = await call(channel, ticket.number, worker: number)
            // If the interrupt has cancelled the call, its latency is not counted.
            guard !Task.isCancelled else { break }
            guard ticket.isMeasured else { continue }
            record(outcome, from: begin, due: ticket.due, in: measured)
        }
        return measured.result
    }

    // Not inlined, like the next function: an asynchronous loop contains its code once for each suspension.
    @inline(never)
    private func nextTicket() -> LoadSchedule.Ticket? {
        Task.isCancelled ? nil : schedule.next(now: .now)
    }

    private final class Measured {
        var result = LoadResult()
    }

    /// Records a call that has just ended. Its latency counts from the time at which it was due.
    @inline(never)
    private func record(
        _ outcome: Result<Int, RPCError>, from begin: ContinuousClock.Instant,
        due: ContinuousClock.Instant?, in measured: Measured
    ) {
        let end = ContinuousClock.now
        measured.result.start(at: schedule.measurementStart.duration(to: begin))
        measured.result.record(
            (due ?? begin).duration(to: end), outcome,
            at: schedule.measurementStart.duration(to: end))
        progress.record(isFailure: outcome.isFailure)
    }

    /// Makes a call, and returns the number of bytes of its responses.
    private func call(
        _ channel: Channel, _ number: Int, worker: Int
    ) async -> Result<Int, RPCError> {
        do {
            let requests = try await requests.requests(number: number, worker: worker)
            var options = CallOptions()
            options.metadata = try self.requests.metadata(number: number, worker: worker)
            if method.shape == .unary {
                return .success(try await channel.unary(method, requests[0], options: options))
            }
            return .success(try await stream(requests, channel, options))
        } catch {
            return .failure(error as? RPCError ?? RPCError(.unknown, "\(error)"))
        }
    }

    /// Reads while it writes: a server that answers each request reads no more while its answers wait.
    private func stream(
        _ requests: [[UInt8]], _ channel: Channel, _ options: CallOptions
    ) async throws -> Int {
        try await channel.bidirectional(method, options: options) { writer in
            for request in requests.dropLast() { try await writer.write(request) }
            if let last = requests.last { try writer.finish(with: last) }
        } responses: { responses in
            var byteCount = 0
            for try await response in responses { byteCount += response }
            return byteCount
        }
    }
}

extension Result {
    fileprivate var isFailure: Bool { if case .failure = self { true } else { false } }
}

extension Codec<Int> {
    /// Decodes a message to the number of its bytes. Only for responses.
    fileprivate static var byteCount: Codec {
        Codec(
            encode: { _, prefixByteCount in [UInt8](repeating: 0, count: prefixByteCount) },
            decode: { $0.count })
    }
}
