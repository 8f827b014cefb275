import Swiftlet
import SwiftletTransport
import Synchronization

/// The work of `swiftlet-bench client` with handlers: each answer brings the next call or message
/// about.
final class ClientHandlers: Sendable {
    private struct Worker {
        var tally = ClientMeter.Tally()
        var start = ClientMeter.Instant.now
    }

    private let channel: Channel
    private let methods: ClientMethods
    private let meter: ClientMeter
    private let runningCount: Mutex<Int>
    private let whenDone: @Sendable () -> Void

    init(
        _ channel: Channel, _ methods: ClientMethods, _ meter: ClientMeter, concurrency: Int,
        whenDone: @escaping @Sendable () -> Void
    ) {
        self.channel = channel
        self.methods = methods
        self.meter = meter
        runningCount = Mutex(concurrency)
        self.whenDone = whenDone
    }

    func startUnary() { callUnary(Shared(Worker())) }

    func startStream() {
        let worker = Shared(Worker())
        let box = Shared<WritingCall<ClientMethods.Request>?>(nil)
        let call = channel.bidirectional(
            methods.stream,
            handlers: ResponseHandlers(
                message: { [self] reply in
                    let call = box.value.withLock { $0 }
                    do {
                        try methods.check(reply)
                        if advance(worker) {
                            try call?.write(methods.request)
                        } else {
                            call?.finish()
                        }
                    } catch {
                        meter.fail(error)
                        call?.cancel()
                    }
                },
                end: { [self] result in
                    if case .failure(let error) = result { meter.fail(error) }
                    box.value.withLock { $0 = nil }
                    end(worker)
                }))
        box.value.withLock { $0 = call }
        do throws(RPCError) {
            try call.write(methods.request)
        } catch {
            meter.fail(error)
            call.cancel()
        }
    }

    private func callUnary(_ worker: Shared<Worker>) {
        do throws(RPCError) {
            try channel.unary(methods.unary, methods.request) { [self] result in
                do {
                    try methods.check(try result.get().message)
                    if advance(worker) { callUnary(worker) } else { end(worker) }
                } catch {
                    meter.fail(error)
                    end(worker)
                }
            }
        } catch {
            meter.fail(error)
            end(worker)
        }
    }

    private func advance(_ worker: Shared<Worker>) -> Bool {
        let now = ClientMeter.Instant.now
        return worker.value.withLock { worker in
            defer { worker.start = now }
            return meter.count(&worker.tally, from: worker.start, to: now)
        }
    }

    private func end(_ worker: Shared<Worker>) {
        meter.merge(worker.value.withLock { $0.tally })
        let isLast = runningCount.withLock { count in
            count -= 1
            return count == 0
        }
        if isLast { whenDone() }
    }
}

/// A value that handlers share.
private final class Shared<Value>: Sendable {
    let value: Mutex<Value>
    init(_ value: sending Value) { self.value = Mutex(value) }
}
