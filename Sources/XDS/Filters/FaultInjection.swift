import SwiftletCore
import SwiftletTransport
import Synchronization

/// What the fault filters have drawn for one call (A33): a delay, then an error in place of the call.
final class FaultInjection: CallFilter {
    private let delay: Duration
    private let error: RPCError?

    /// Nil if the call has no fault.
    ///
    /// - Parameter configs: Those of the filters that are on, in the order in which a call passes them.
    init?(
        _ configs: [FaultConfig], _ call: CallHeaders, random: inout some RandomNumberGenerator
    ) {
        var delay = Duration.zero
        var error: RPCError?
        for config in configs where error == nil {
            guard ActiveFault.count < config.maxActiveFaults else { continue }
            delay += config.delay(of: call, random: &random) ?? .zero
            error = config.error(of: call, random: &random)
        }
        guard delay > .zero || error != nil else { return nil }
        (self.delay, self.error) = (delay, error)
    }

    func begin(
        _ proceed: @escaping @Sendable (RPCError?) -> Void
    ) -> (@Sendable () -> Void)? {
        let fault = ActiveFault()
        guard delay > .zero else {
            fault.end()
            proceed(error)
            return nil
        }
        let wait = Task {
            // Ends early if the call does. `proceed` then has no effect.
            try? await Task.sleep(for: delay)
            fault.end()
            proceed(error)
        }
        return {
            // At once, so that the next call may have a fault in its place.
            fault.end()
            wait.cancel()
        }
    }
}

/// A fault that runs. It is counted until its end.
private final class ActiveFault: Sendable {
    private static let active = Atomic<UInt32>(0)

    private let hasEnded = Atomic(false)

    init() { Self.active.wrappingAdd(1, ordering: .relaxed) }

    /// The faults of the process that run.
    static var count: UInt32 { active.load(ordering: .relaxed) }

    /// Only the first end counts.
    func end() {
        guard !hasEnded.exchange(true, ordering: .relaxed) else { return }
        Self.active.wrappingSubtract(1, ordering: .relaxed)
    }
}

extension FaultConfig {
    fileprivate func delay(
        of call: CallHeaders, random: inout some RandomNumberGenerator
    ) -> Duration? {
        let duration: Duration
        switch delay {
        case nil: return nil
        case .fixed(let fixed): duration = fixed
        case .header:
            guard let milliseconds = call.number(in: "x-envoy-fault-delay-request") else {
                return nil
            }
            duration = .milliseconds(milliseconds)
        }
        let numerator =
            delay == .header ? call.number(in: "x-envoy-fault-delay-request-percentage") : nil
        return delayed.chooses(upTo: numerator, &random) ? duration : nil
    }

    fileprivate func error(
        of call: CallHeaders, random: inout some RandomNumberGenerator
    ) -> RPCError? {
        let code: StatusCode
        switch abort {
        case nil: return nil
        case .status(let number): code = StatusCode(rawValue: number)
        case .http(let status): code = StatusMapping.code(forHTTPStatus: status)
        case .header:
            if let number = call.number(in: "x-envoy-fault-abort-grpc-request") {
                guard number <= 16 else { return nil }
                code = StatusCode(rawValue: number)
            } else if let status = call.number(in: "x-envoy-fault-abort-request") {
                code = StatusMapping.code(forHTTPStatus: status)
            } else {
                return nil
            }
        }
        // The first name is Envoy's and Java's, the second one that of C++.
        let numerator =
            abort == .header
            ? call.number(in: "x-envoy-fault-abort-request-percentage")
                ?? call.number(in: "x-envoy-fault-abort-percentage") : nil
        // The call cannot end with OK and without a message. Like C++, it is sent.
        guard code != .ok, aborted.chooses(upTo: numerator, &random) else { return nil }
        var error = RPCError(code, "xds: the fault injection of the control plane ends the call")
        error.phase = .preparing
        error.mayHaveBeenExecuted = false
        return error
    }
}

extension FaultConfig.Share {
    /// Whether a call is in the share.
    ///
    /// - Parameter limit: The numerator that the call's header allows; nil without the header.
    fileprivate func chooses(
        upTo limit: Int?, _ random: inout some RandomNumberGenerator
    ) -> Bool {
        let numerator = min(UInt64(numerator), limit.map { UInt64($0) } ?? .max)
        return numerator >= denominator || random.next(upperBound: UInt64(denominator)) < numerator
    }
}

extension CallHeaders {
    /// The number in a header; nil if the header is absent or has another text, or if the number does not fit into
    /// 32 bits.
    fileprivate func number(in name: ByteText) -> Int? {
        guard let value = value(of: name), 1...10 ~= value.count,
            value.allSatisfy({ 0x30...0x39 ~= $0 })
        else { return nil }
        let number = value.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        return number <= UInt32.max ? number : nil
    }
}
