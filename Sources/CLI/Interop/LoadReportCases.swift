import Swiftlet
import SwiftletServices

extension InteropCase {
    private static let trailer = "endpoint-load-metrics-bin"
    static let loadReportStream = Method<OrcaLoadReportRequest, OrcaLoadReport>(
        "/xds.service.orca.v3.OpenRcaService/StreamCoreMetrics", .serverStreaming)

    private static let first = GRPC.Testing.TestOrcaReport(
        cpuUtilization: 0.8210, memoryUtilization: 0.5847, utilization: ["util": 0.30499])
    private static let second = GRPC.Testing.TestOrcaReport(
        cpuUtilization: 0.29309, memoryUtilization: 0.2, utilization: ["util": 0.2039])

    /// Cases about load reports. In the descriptions, a balancing policy receives the reports. Here
    /// they are read from the trailers and from a stream of reports.
    static let loadReports = [
        InteropCase("orca_per_rpc") { server in
            try await server.withChannel { client in
                var request = GRPC.Testing.SimpleRequest()
                var report = first
                report.requestCost = ["cost": 3_456.32]
                request.orcaPerQueryReport = report
                let response = try await client.unary(request)
                guard let bytes = response.trailingMetadata.bytes(for: trailer) else {
                    throw NotServed(reason: "the server sends no load report with its status")
                }
                try expect(
                    "the report", try OrcaLoadReport(decoding: ContiguousArray(bytes).span),
                    is: OrcaLoadReport(report))
            }
        },
        InteropCase("orca_oob") { server in
            try await server.withChannel { client in
                var interval = OrcaLoadReportRequest()
                interval.reportInterval = .init(seconds: 0, nanos: 100_000_000)
                let reports = try await client.channel.serverStreaming(
                    loadReportStream, interval,
                    options: TestServiceClient.options { $0.timeout = .seconds(20) })
                var iterator = reports.makeAsyncIterator()
                try await checkServed(&iterator)
                let call = try await client.duplex()
                var replies = call.responses.makeAsyncIterator()
                for report in [first, second] {
                    var request = GRPC.Testing.StreamingOutputCallRequest.sized(back: [1])
                    request.orcaOobReport = report
                    try await call.requests.write(request)
                    try expect("the size of an answer", try await replies.next()?.size, is: 1)
                    try await wait(for: OrcaLoadReport(report), in: &iterator)
                }
                call.requests.finish()
                try expect("a third answer", try await replies.next(), is: nil)
            }
        },
    ]

    private static func checkServed(
        _ reports: inout ResponseStream<OrcaLoadReport>.AsyncIterator
    ) async throws {
        let what = "stream of load reports"
        guard try await served(what, { try await reports.next() }) == nil else { return }
        throw NotServed(reason: "the server has no \(what)")
    }

    /// Skips reports that the server sent before the expected one.
    private static func wait(
        for report: OrcaLoadReport, in reports: inout ResponseStream<OrcaLoadReport>.AsyncIterator
    ) async throws {
        while true {
            guard let next = try await reports.next() else {
                throw CaseFailure(reason: "the load reports ended before \(report) came")
            }
            if next == report { return }
        }
    }
}

extension GRPC.Testing.StreamingOutputCallResponse {
    fileprivate var size: Int { payload?.body.count ?? 0 }
}
