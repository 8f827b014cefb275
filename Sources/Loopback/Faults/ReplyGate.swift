import SwiftletCore
import Synchronization

/// Holds answers of a server until a test lets them go, so that the test needs no delay.
///
/// ```swift
/// let gate = ReplyGate()
/// let server = try LoopbackServer { server in
///     server.addGreeter()
///     server.faults = [.on("/helloworld.Greeter/SayHello", .pause(gate))]
/// }
/// let channel = try server.makeChannel()
/// async let reply = Greeter(channel: channel).sayHello(request)
/// await gate.arrivals(1)  // the server has the request, and has not answered
/// gate.open()
/// print(try await reply.message)
/// ```
///
/// A handler can also wait at a gate, at any point of its answer: `try await gate.pass()`.
public final class ReplyGate: Sendable {
    private enum Condition {
        case isOpen
        case arrivals(Int)
    }

    private struct State {
        var isOpen: Bool
        var arrivalCount = 0
        var waitCount: UInt64 = 0
        var waiting: [UInt64: (condition: Condition, waiter: Resumption<Void>)] = [:]

        func meets(_ condition: Condition) -> Bool {
            switch condition {
            case .isOpen: isOpen
            case .arrivals(let count): arrivalCount >= count
            }
        }

        mutating func takeReady() -> [Resumption<Void>] {
            let ready = waiting.filter { meets($0.value.condition) }
            for name in ready.keys { waiting[name] = nil }
            return ready.values.map(\.waiter)
        }
    }

    private let state: Mutex<State>

    /// - Parameter isOpen: Whether answers pass from the beginning; false by default.
    public init(isOpen: Bool = false) { state = Mutex(State(isOpen: isOpen)) }
}

extension ReplyGate {
    /// The number of calls that have arrived so far, also of those that found the gate open.
    public var arrivalCount: Int { state.withLock { $0.arrivalCount } }

    /// Waits until so many calls have arrived, counted from the beginning, or until the task is cancelled.
    public func arrivals(_ count: Int) async { await wait(until: .arrivals(count)) }

    /// Lets all waiting answers go, and those that come later.
    public func open() { change { $0.isOpen = true } }

    /// Holds answers that come from now on.
    public func close() { change { $0.isOpen = false } }

    /// Waits in a handler until the gate is open. Needs no thread. Throws when the call is cancelled.
    public func pass() async throws(CancellationError) {
        change { $0.arrivalCount += 1 }
        await wait(until: .isOpen)
        if Task.isCancelled { throw CancellationError() }
    }

    private func change(_ body: (inout State) -> Void) {
        let ready = state.withLock { state in
            body(&state)
            return state.takeReady()
        }
        for waiter in ready { waiter.resume() }
    }

    private func wait(until condition: Condition) async {
        let name = state.withLock { state in
            state.waitCount += 1
            return state.waitCount
        }
        await withTaskCancellationHandler {
            await Resumption<Void>.wait { waiter in
                let isOver = state.withLock { state in
                    // A task that is cancelled later finds its name in the state.
                    if state.meets(condition) || Task.isCancelled { return true }
                    state.waiting[name] = (condition, waiter)
                    return false
                }
                if isOver { waiter.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: name) }?.waiter.resume()
        }
    }
}

extension ReplyGate: Hashable {
    /// A gate is equal only to itself.
    public static func == (left: ReplyGate, right: ReplyGate) -> Bool { left === right }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
