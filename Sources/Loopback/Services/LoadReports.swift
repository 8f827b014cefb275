import SwiftletCore
import SwiftletMessages
import Synchronization

/// The load report that a test has set for the reports outside of calls, for
/// `xds.service.orca.v3.OpenRcaService`.
final class LoadReports: Sendable {
    private let current = Mutex(OrcaLoadReport())
    /// The shortest interval between two reports.
    private static let leastInterval = Duration.milliseconds(10)

    /// The trailer with the report of a call.
    static let trailer = "endpoint-load-metrics-bin"

    func set(_ report: GRPC.Testing.TestOrcaReport) {
        current.withLock { $0 = OrcaLoadReport(report) }
    }

    func register(in methods: inout ServerMethods) {
        methods.serverStreaming(
            Method<OrcaLoadReportRequest, OrcaLoadReport>(
                bundled: "/xds.service.orca.v3.OpenRcaService/StreamCoreMetrics",
                .serverStreaming)
        ) { request, replies, context in
            let asked = request.reportInterval.flatMap { Duration($0) } ?? .zero
            let interval = max(asked, Self.leastInterval)
            while true {
                try await replies.write(self.current.withLock { $0 })
                try await context.sleep(for: interval)
            }
        }
    }
}
