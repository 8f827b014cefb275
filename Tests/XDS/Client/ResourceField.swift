import SwiftletXDS

/// A part of what is known of a resource.
enum ResourceField: Encodable {
    case integer(Int)
    case text(String)

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .integer(let value): try container.encode(value)
        case .text(let value): try container.encode(value)
        }
    }

    /// As `client.py`: the target, the type, the name, the number of the state, the version and the error.
    static func status() async -> [[ResourceField]] {
        let states: [XDS.Status.Resource.State] = [
            .requested, .doesNotExist, .acked, .nacked, .receivedError, .timeout,
        ]
        return await XDS.status.targets.flatMap { target in
            target.resources.map { resource in
                [
                    .text(target.target), .text("type.googleapis.com/" + resource.type),
                    .text(resource.name),
                    .integer((states.firstIndex(of: resource.state) ?? -1) + 1),
                    .text(resource.version), .text(resource.error?.message ?? ""),
                ]
            }
        }
    }
}
