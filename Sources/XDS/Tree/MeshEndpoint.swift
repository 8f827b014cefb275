import SwiftletCore

/// What the control plane says of an endpoint. Set only if something needs it: it makes endpoints costlier to compare.
enum MeshEndpoint: EndpointAttributeKey {
    struct Value: Hashable, Sendable {
        let locality: Endpoints.Locality
        let hostName: ByteText
    }
}
