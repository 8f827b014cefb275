import SwiftletMessages
import SwiftletTransport

extension XDS {
    /// What the check of a resource has found.
    package struct ResourceFindings: Sendable {
        /// The name of the message, as it was received.
        package let type: String
        /// Nil if the resource is so wrong that its name is not known.
        package let name: String?
        /// Each with the path of the field: `lb_policy: 'MAGLEV' is not supported`. Empty for a valid resource.
        package let problems: [String]
    }

    /// Checks a resource as a channel does that receives it.
    ///
    /// - Parameters:
    ///   - typeURL: The type of the message. It may be a `Resource` with another message inside.
    ///   - bytes: The message.
    ///   - bootstrap: Has the certificate providers that resources may name. With nil, they may name any.
    package static func findings(
        inResource typeURL: String, _ bytes: [UInt8], _ bootstrap: Bootstrap?
    ) -> ResourceFindings {
        let any = Google.Protobuf.AnyMessage.with {
            $0.typeURL = typeURL
            $0.value = bytes
        }
        let inner = innerTypeURL(of: any)
        guard let type = ResourceType.allCases.first(where: { $0.typeURL.hasBytes(of: inner) })
        else {
            let names = ResourceType.allCases.map(\.messageName).joined(separator: ", ")
            return ResourceFindings(
                type: "\(ByteText(inner))", name: nil,
                problems: ["the type is not one of the resources of clients: \(names)"])
        }
        var context = ValidationContext()
        context.certificateProviders = bootstrap.map { Set($0.certificateProviders.keys) }
        let checked = CheckedResource(any, of: type, context)
        return ResourceFindings(
            type: type.messageName, name: checked.name?.text.string, problems: checked.problems)
    }

    /// The type inside of a `Resource`, or that of the message itself.
    private static func innerTypeURL(of any: Google.Protobuf.AnyMessage) -> String {
        guard any.holds(Envoy.Discovery.Resource.self),
            let wrapper = try? Envoy.Discovery.Resource(decoding: any.value)
        else { return any.typeURL }
        return wrapper.resource?.typeURL ?? ""
    }
}
