import SwiftletCore

/// What the control plane says of an endpoint. Set only if something needs it: it makes endpoints costlier to compare.
enum MeshEndpoint: EndpointAttributeKey {
    struct Value: Hashable, Sendable {
        let locality: Endpoints.Locality
        /// The name of the endpoint; nil if it has none that can be an authority (A81).
        let authority: String?
        let state: EndpointStates

        init(_ locality: Endpoints.Locality, _ endpoint: Endpoints.Endpoint) {
            self.locality = locality
            state = endpoint.state
            // ASCII, and short: calls compare it with other texts.
            let name = endpoint.hostName.string
            authority = !name.isEmpty && name.isVisibleASCII(upTo: 300) ? name : nil
        }
    }
}
