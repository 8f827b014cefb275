import Swiftlet
import SwiftletStyles
import SwiftletTransport
import Synchronization

/// The work of `swiftlet-bench client` with handlers: each response starts the next call or message.
final class ClientHandlers: Sendable {
    private struct Worker {
        var tally = ClientMeter.Tally()
        var start = ClientMeter.Instant.now
        var block = ClientMeter.Block()
        /// The count of messages of the current call.
        var count = 0
        /// Whether the window has ended. A call that ends later is not a failure.
        var isDone = false
        var hasFailed = false
    }

    private let channel: Channel
    private let methods: ClientMethods
    private let meter: ClientMeter
    private let arguments: ClientArguments
    private let runningCount: Mutex<Int>
    private let whenDone: @Sendable () -> Void

    init(
        _ channel: Channel, _ methods: ClientMethods, _ meter: ClientMeter,
        _ arguments: ClientArguments, whenDone: @escaping @Sendable () -> Void
    ) {
        self.channel = channel
        self.methods = methods
        self.meter = meter
        self.arguments = arguments
        runningCount = Mutex(arguments.concurrency)
        self.whenDone = whenDone
    }

    /// Starts one of the concurrent workers.
    func start() {
        switch arguments.scenario {
        case .unary, .idle, .connections: callUnary(Shared(Worker()))
        case .stream: startStream()
        case .serverStream: callServer(Shared(Worker()))
        case .clientStream: callClient(Shared(Worker()))
        }
    }

    private func startStream() {
        let worker = Shared(Worker())
        let box = Shared<WritingCall<ClientMethods.Request>?>(nil)
        let call = channel.startBidirectional(
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
                        fail(worker, error)
                        call?.cancel()
                    }
                },
                end: { [self] result in
                    box.value.withLock { $0 = nil }
                    do {
                        _ = try result.get()
                        if !worker.value.withLock({ $0.isDone }) {
                            throw RPCError(.dataLoss, "the stream ended")
                        }
                    } catch {
                        fail(worker, error)
                    }
                    end(worker)
                }))
        box.value.withLock { $0 = call }
        do throws(RPCError) {
            try call.write(methods.request)
        } catch {
            fail(worker, error)
            call.cancel()
        }
    }

    private func callUnary(_ worker: Shared<Worker>) {
        do throws(RPCError) {
            try channel.startUnary(methods.unary, methods.request) { [self] result in
                do {
                    // Without `get()`, which copies the value.
                    switch result {
                    case .success(let response): try methods.check(response.message)
                    case .failure(let error): throw error
                    }
                    if advance(worker) { callUnary(worker) } else { end(worker) }
                } catch {
                    fail(worker, error)
                    end(worker)
                }
            }
        } catch {
            fail(worker, error)
            end(worker)
        }
    }

    private func callServer(_ worker: Shared<Worker>) {
        worker.value.withLock { ($0.block, $0.count) = (ClientMeter.Block(), 0) }
        let box = Shared<RunningCall?>(nil)
        do throws(RPCError) {
            let call = try channel.startServerStreaming(
                methods.fromServer, methods.request, options: arguments.countOptions,
                handlers: ResponseHandlers(
                    message: { [self] reply in
                        do {
                            try methods.check(reply)
                            if !add(worker) { box.value.withLock { $0 }?.cancel() }
                        } catch {
                            fail(worker, error)
                            box.value.withLock { $0 }?.cancel()
                        }
                    },
                    end: { [self] result in
                        box.value.withLock { $0 = nil }
                        let (count, isDone) = worker.value.withLock { ($0.count, $0.isDone) }
                        // The measurement has ended, and cancelled the call.
                        guard !isDone else { return end(worker) }
                        do {
                            _ = try result.get()
                            try arguments.check(count)
                            _ = worker.value.withLock { $0.block.end(&$0.tally, meter) }
                            guard ClientMeter.Instant.now < meter.end else { return end(worker) }
                            callServer(worker)
                        } catch {
                            fail(worker, error)
                            end(worker)
                        }
                    }))
            box.value.withLock { $0 = call }
        } catch {
            fail(worker, error)
            end(worker)
        }
    }

    private func callClient(_ worker: Shared<Worker>) {
        worker.value.withLock { ($0.block, $0.count) = (ClientMeter.Block(), 0) }
        let call: WritingCall<ClientMethods.Request> = channel.startClientStreaming(
            methods.fromClient
        ) { [self] result in
            do {
                try methods.check(try result.get().message)
                _ = worker.value.withLock { $0.block.end(&$0.tally, meter) }
                guard ClientMeter.Instant.now < meter.end else { return end(worker) }
                callClient(worker)
            } catch {
                fail(worker, error)
                end(worker)
            }
        }
        write(to: call, worker)
    }

    /// Writes each message when there is room for it.
    private func write(to call: WritingCall<ClientMethods.Request>, _ worker: Shared<Worker>) {
        let isLast = worker.value.withLock { $0.count >= arguments.messageCount }
        guard !isLast else { return call.finish() }
        do throws(RPCError) {
            try call.write(methods.request) { [self] hasRoom in
                guard hasRoom else { return }
                if add(worker) { write(to: call, worker) } else { call.finish() }
            }
        } catch {
            fail(worker, error)
            call.cancel()
        }
    }

    private func add(_ worker: Shared<Worker>) -> Bool {
        worker.value.withLock { worker in
            worker.count += 1
            worker.isDone = !worker.block.add(&worker.tally, meter)
            return !worker.isDone
        }
    }

    private func advance(_ worker: Shared<Worker>) -> Bool {
        let now = ClientMeter.Instant.now
        return worker.value.withLock { worker in
            worker.isDone = !meter.count(&worker.tally, from: worker.start, to: now)
            worker.start = now
            return !worker.isDone
        }
    }

    /// Counts the first failure of a worker. Cancelling its call causes a second one.
    private func fail(_ worker: Shared<Worker>, _ error: any Error) {
        let isFirst = worker.value.withLock { worker in
            defer { worker.hasFailed = true }
            return !worker.hasFailed
        }
        if isFirst { meter.fail(error) }
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
