import SwiftletMessages

// The messages of envoy.service.discovery.v3, with the fields that a client of gRPC needs.
extension Envoy.Discovery {
    /// Subscribes to resources of a type, and acknowledges or rejects a response.
    struct DiscoveryRequest: DropsUnknownFields {
        var versionInfo = ""
        var node: Envoy.Core.Node?
        var resourceNames: [String] = []
        var typeURL = ""
        var responseNonce = ""
        var errorDetail: Google.RPC.Status?

        static var messageName: String { "envoy.service.discovery.v3.DiscoveryRequest" }

        static let layout = Layout<Self> { field in
            field.string(1, \.versionInfo)
            field.message(2, \.node)
            field.string(3, \.resourceNames)
            field.string(4, \.typeURL)
            field.string(5, \.responseNonce)
            field.message(6, \.errorDetail)
        }
    }

    /// Resources of a type.
    struct DiscoveryResponse: DropsUnknownFields {
        var versionInfo = ""
        var resources: [Google.Protobuf.AnyMessage] = []
        var typeURL = ""
        var nonce = ""
        var resourceErrors: [Envoy.Discovery.ResourceError] = []

        static var messageName: String { "envoy.service.discovery.v3.DiscoveryResponse" }

        static let layout = Layout<Self> { field in
            field.string(1, \.versionInfo)
            field.message(2, \.resources)
            field.string(4, \.typeURL)
            field.string(5, \.nonce)
            field.message(7, \.resourceErrors)
        }
    }

    /// A resource with its name.
    struct Resource: DropsUnknownFields {
        var resource: Google.Protobuf.AnyMessage?
        var name = ""

        static var messageName: String { "envoy.service.discovery.v3.Resource" }

        static let layout = Layout<Self> { field in
            field.message(2, \.resource)
            field.string(3, \.name)
        }
    }

    /// The name of a resource.
    struct ResourceName: DropsUnknownFields {
        var name = ""

        static var messageName: String { "envoy.service.discovery.v3.ResourceName" }

        static let layout = Layout<Self> { field in
            field.string(1, \.name)
        }
    }

    /// Why the control plane cannot send a resource.
    struct ResourceError: DropsUnknownFields {
        var resourceName: Envoy.Discovery.ResourceName?
        var errorDetail: Google.RPC.Status?

        static var messageName: String { "envoy.service.discovery.v3.ResourceError" }

        static let layout = Layout<Self> { field in
            field.message(1, \.resourceName)
            field.message(2, \.errorDetail)
        }
    }
}
