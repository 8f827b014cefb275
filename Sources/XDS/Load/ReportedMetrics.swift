import SwiftletCore
import SwiftletTransport

/// Which metrics of servers load reports have (A85).
struct ReportedMetrics: Hashable, Sendable {
    private(set) var hasProcessor = false
    private(set) var hasMemory = false
    private(set) var hasApplication = false
    private(set) var hasAllNamed = false
    private var names: Set<ByteText> = []

    /// - Parameter fields: The names of fields of ORCA's report. Unknown names are ignored.
    init(_ fields: [String]) {
        let prefix = "named_metrics."
        for field in fields {
            if field.hasBytes(of: "cpu_utilization") { hasProcessor = true }
            if field.hasBytes(of: "mem_utilization") { hasMemory = true }
            if field.hasBytes(of: "application_utilization") { hasApplication = true }
            guard field.utf8.starts(with: prefix.utf8) else { continue }
            let name = ByteText(String(field.utf8.dropFirst(prefix.utf8.count)) ?? "")
            if name.string.hasBytes(of: "*") { hasAllNamed = true } else { names.insert(name) }
        }
    }

    var isEmpty: Bool { self == Self([]) }

    func hasNamed(_ name: ByteText) -> Bool { hasAllNamed || names.contains(name) }
}
