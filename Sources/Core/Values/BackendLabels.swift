import SwiftletTransport

/// What metrics say of the servers that a call or a connection uses (proposals A78 and A89). An object: the endpoints of
/// a locality share it.
package final class BackendLabels: Sendable {
    /// The service behind the endpoints, such as the cluster of a mesh.
    package let service: String
    /// Where the endpoints are; empty if it is not known.
    package let locality: String

    package init(service: String, locality: String = "") {
        // The control plane's texts. The channel compares them, and sinks of metrics hash them.
        self.service = WireText.bounded(service)
        self.locality = WireText.bounded(locality)
    }
}

extension BackendLabels: Hashable {
    package static func == (left: BackendLabels, right: BackendLabels) -> Bool {
        left === right || left.service == right.service && left.locality == right.locality
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(service)
        hasher.combine(locality)
    }
}
