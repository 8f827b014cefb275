import SwiftletMessages

// The messages of envoy.config.listener.v3, with the fields that a client of gRPC needs.
extension Envoy.Listeners {
    /// What a client connects to.
    struct Listener: DropsUnknownFields {
        var name = ""
        /// Where a listener of servers accepts connections.
        var address: Envoy.Core.Address?
        var apiListener: Envoy.Listeners.ApiListener?

        static var messageName: String { "envoy.config.listener.v3.Listener" }

        static let layout = Layout<Self> { field in
            field.string(1, \.name)
            field.message(2, \.address)
            field.message(19, \.apiListener)
        }
    }

    /// The part of a listener for clients without a proxy.
    struct ApiListener: DropsUnknownFields {
        var apiListener: Google.Protobuf.AnyMessage?

        static var messageName: String { "envoy.config.listener.v3.ApiListener" }

        static let layout = Layout<Self> { field in
            field.message(1, \.apiListener)
        }
    }
}
