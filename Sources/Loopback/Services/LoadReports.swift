import SwiftletCore
import SwiftletMessages
import Synchronization

/// What a test has asked the server to say of its load beside calls, for
/// `xds.service.orca.v3.OpenRcaService`.
final class LoadReports: Sendable {
    private let current = Mutex(OrcaLoadReport())
    /// No client is told more often than this, whatever it asks for.
    private static let leastInterval = Duration.milliseconds(10)

    /// The trailer that carries the report of a single call.
    static let trailer = "endpoint-load-metrics-bin"

    func set(_ report: GRPC.Testing.TestOrcaReport) {
        current.withLock { $0 = OrcaLoadReport(report) }
    }

    func register(in methods: inout ServerMethods) {
        methods.serverStreaming(
            Method<OrcaLoadReportRequest, OrcaLoadReport>(
                bundled: "/xds.service.orca.v3.OpenRcaService/StreamCoreMetrics",
                .serverStreaming)
        ) { request, replies, _ in
            let asked = request.reportInterval.flatMap { Duration($0) } ?? .zero
            let interval = max(asked, Self.leastInterval)
            while true {
                try await replies.write(self.current.withLock { $0 })
                try await Task.sleep(for: interval)
            }
        }
    }
}
