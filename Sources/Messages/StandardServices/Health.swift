public import SwiftletMessages

// The messages of grpc/health/v1/health.proto.
extension GRPC.Health {
    /// The service to check. An empty name means the whole server.
    public struct HealthCheckRequest: Message {
        public var service = ""
        public var unknownFields = UnknownFields()

        public init() {}

        public init(service: String = "") {
            self.service = service
        }

        public static var messageName: String { "grpc.health.v1.HealthCheckRequest" }

        public static let layout = Layout<Self> { field in
            field.string(1, \.service)
        }
    }

    /// The state of the service, or of the whole server.
    public struct HealthCheckResponse: Message {
        public struct ServingStatus: OpenEnum {
            public var rawValue: Int32

            public init(rawValue: Int32) { self.rawValue = rawValue }

            public static let unknown = ServingStatus(rawValue: 0)
            public static let serving = ServingStatus(rawValue: 1)
            public static let notServing = ServingStatus(rawValue: 2)
            /// Only in responses of Watch.
            public static let serviceUnknown = ServingStatus(rawValue: 3)

            public var name: String? {
                switch self {
                case .unknown: "UNKNOWN"
                case .serving: "SERVING"
                case .notServing: "NOT_SERVING"
                case .serviceUnknown: "SERVICE_UNKNOWN"
                default: nil
                }
            }
        }

        public var status = ServingStatus()
        public var unknownFields = UnknownFields()

        public init() {}

        public init(status: ServingStatus = ServingStatus()) {
            self.status = status
        }

        public static var messageName: String { "grpc.health.v1.HealthCheckResponse" }

        public static let layout = Layout<Self> { field in
            field.enumeration(1, \.status)
        }
    }

    /// Requests the states of all services that the server knows.
    public struct HealthListRequest: Message {
        public var unknownFields = UnknownFields()

        public init() {}

        public static var messageName: String { "grpc.health.v1.HealthListRequest" }

        public static let layout = Layout<Self> { _ in }
    }

    /// The states of all services, by name.
    public struct HealthListResponse: Message {
        public var statuses: [String: HealthCheckResponse] = [:]
        public var unknownFields = UnknownFields()

        public init() {}

        public init(statuses: [String: HealthCheckResponse] = [:]) {
            self.statuses = statuses
        }

        public static var messageName: String { "grpc.health.v1.HealthListResponse" }

        public static let layout = Layout<Self> { field in
            field.map(1, \.statuses, .string, .message(HealthCheckResponse.self))
        }
    }
}
