import Swiftlet
import SwiftletDynamic

/// Makes the calls of a benchmark.
struct LoadGenerator: Sendable {
    let method: Method<[UInt8], Int>
    /// The encoded requests of each call.
    let requests: [[UInt8]]
    let schedule: LoadSchedule

    init(_ schema: MethodSchema, requests: [[UInt8]], schedule: LoadSchedule) throws {
        method = try Method(path: schema.path, schema.shape, request: .bytes, reply: .byteCount)
        self.requests = requests
        self.schedule = schedule
    }

    /// Runs `concurrency` workers, spread over the channels. Cancelling the task stops the workers; the
    /// result is what was measured until then.
    func run(on channels: [Channel], concurrency: Int) async -> LoadResult {
        var result = await withTaskGroup(of: LoadResult.self) { group in
            for index in 0..<concurrency {
                group.addTask { await work(on: channels[index % channels.count]) }
            }
            return await group.reduce(into: LoadResult()) { $0.merge($1) }
        }
        result.duration = schedule.measurementStart.duration(to: .now)
        return result
    }

    private func work(on channel: Channel) async -> LoadResult {
        var result = LoadResult()
        while !Task.isCancelled, let ticket = schedule.next(now: .now) {
            if let due = ticket.due, due > .now {
                do { try await Task.sleep(until: due, clock: .continuous) } catch { break }
            }
            let begin = ticket.due ?? .now
            let outcome = await call(channel)
            // A call that the interrupt has cancelled measures nothing.
            guard !Task.isCancelled else { break }
            if ticket.isMeasured { result.record(begin.duration(to: .now), outcome) }
        }
        return result
    }

    /// The bytes of the responses.
    private func call(_ channel: Channel) async -> Result<Int, RPCError> {
        do throws(RPCError) {
            if method.shape == .unary {
                return .success(try await channel.unary(method, requests[0]))
            }
            return .success(try await stream(channel))
        } catch {
            return .failure(error)
        }
    }

    private func stream(_ channel: Channel) async throws(RPCError) -> Int {
        let call = try await channel.bidirectional(method)
        for request in requests.dropLast() { try await call.requests.write(request) }
        if let last = requests.last {
            try call.requests.finish(with: last)
        } else {
            call.requests.finish()
        }
        var byteCount = 0
        for try await response in call.responses { byteCount += response }
        return byteCount
    }
}

extension Codec<[UInt8]> {
    /// Messages that are encoded already.
    fileprivate static var bytes: Codec {
        Codec(
            encode: { message, prefixByteCount in
                [UInt8](repeating: 0, count: prefixByteCount) + message
            },
            decode: { bytes in bytes.indices.map { bytes[$0] } })
    }
}

extension Codec<Int> {
    /// The size of messages, which are not decoded. Only for responses.
    fileprivate static var byteCount: Codec {
        Codec(
            encode: { _, prefixByteCount in [UInt8](repeating: 0, count: prefixByteCount) },
            decode: { $0.count })
    }
}
