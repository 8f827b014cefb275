public import SwiftletCore
import SwiftletMessages
import SwiftletTransport
import Synchronization

/// `xds.service.orca.v3.OpenRcaService`: reports the load of the server outside of calls, to clients whose
/// balancer requests it (proposal A51).
///
/// ```swift
/// let loads = LoadReportService()
/// let server = try LoopbackServer { $0.add(loads) }
/// loads.set(report)
/// ```
public final class LoadReportService: LoopbackService {
    private struct State {
        var report = OrcaLoadReport()
        var intervals: [UInt64: Duration] = [:]
        var lastNumber: UInt64 = 0
    }

    private let state = Mutex(State())
    /// The shortest interval between two reports.
    private static let leastInterval = Duration.milliseconds(10)

    /// The trailer with the report of a call.
    static let trailer = "endpoint-load-metrics-bin"

    /// Makes a service that reports no load.
    public init() {}
}

extension LoadReportService {
    /// Sets the load that is reported from now on.
    public func set(_ report: LoadReport) { set(OrcaLoadReport(report)) }

    /// The intervals that the open calls have requested, in the order in which the calls began.
    public var requestedIntervals: [Duration] {
        state.withLock { state in
            state.intervals.inOrder { $0.key < $1.key }.map(\.value)
        }
    }

    func set(_ report: OrcaLoadReport) { state.withLock { $0.report = report } }
}

extension LoadReportService {
    public func register(in methods: inout ServerMethods) {
        methods.serverStreaming(
            Method<OrcaLoadReportRequest, OrcaLoadReport>(
                bundled: "/xds.service.orca.v3.OpenRcaService/StreamCoreMetrics",
                .serverStreaming)
        ) { request, replies, context in
            let asked = request.reportInterval.flatMap { Duration($0) } ?? .zero
            let number = self.begin(asked)
            defer { self.end(number) }
            while true {
                try await replies.write(self.state.withLock { $0.report })
                try await context.sleep(for: max(asked, Self.leastInterval))
            }
        }
    }

    private func begin(_ interval: Duration) -> UInt64 {
        state.withLock { state in
            state.lastNumber += 1
            state.intervals[state.lastNumber] = interval
            return state.lastNumber
        }
    }

    private func end(_ number: UInt64) { state.withLock { $0.intervals[number] = nil } }
}

extension OrcaLoadReport {
    fileprivate init(_ report: LoadReport) {
        self.init()
        cpuUtilization = report.cpuUtilization
        memoryUtilization = report.memoryUtilization
        applicationUtilization = report.applicationUtilization
        requestsPerSecond = report.requestsPerSecond
        errorsPerSecond = report.errorsPerSecond
        utilization = report.utilization
        namedMetrics = report.namedMetrics
    }
}
