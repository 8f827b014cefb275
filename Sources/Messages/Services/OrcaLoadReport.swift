package import SwiftletMessages

// The messages of xds/data/orca/v3/orca_load_report.proto and xds/service/orca/v3/orca.proto, without
// their deprecated fields.

/// The load of a server, which it sends in a call's trailers or in a separate stream.
package struct OrcaLoadReport: Message {
    package var cpuUtilization: Double = 0
    package var memoryUtilization: Double = 0
    package var requestCost: [String: Double] = [:]
    package var utilization: [String: Double] = [:]
    package var requestsPerSecond: Double = 0
    package var errorsPerSecond: Double = 0
    package var namedMetrics: [String: Double] = [:]
    package var applicationUtilization: Double = 0
    package var unknownFields = UnknownFields()

    package init() {}

    package static var messageName: String { "xds.data.orca.v3.OrcaLoadReport" }

    package static let layout = Layout<Self> { field in
        field.double(1, \.cpuUtilization)
        field.double(2, \.memoryUtilization)
        field.map(4, \.requestCost, .string, .double)
        field.map(5, \.utilization, .string, .double)
        field.double(6, \.requestsPerSecond)
        field.double(7, \.errorsPerSecond)
        field.map(8, \.namedMetrics, .string, .double)
        field.double(9, \.applicationUtilization)
    }
}

/// Requests reports at an interval.
package struct OrcaLoadReportRequest: Message {
    package var reportInterval: Google.Protobuf.Duration?
    package var unknownFields = UnknownFields()

    package init() {}

    package static var messageName: String { "xds.service.orca.v3.OrcaLoadReportRequest" }

    package static let layout = Layout<Self> { field in
        field.message(1, \.reportInterval)
    }
}

extension OrcaLoadReport {
    /// The report that a test asks a server to make.
    package init(_ test: GRPC.Testing.TestOrcaReport) {
        cpuUtilization = test.cpuUtilization
        memoryUtilization = test.memoryUtilization
        requestCost = test.requestCost
        utilization = test.utilization
    }
}
