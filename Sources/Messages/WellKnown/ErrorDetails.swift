public import SwiftletMessages

// The messages of google/rpc/error_details.proto.
extension Google.RPC {
    /// The cause of an error, as a constant that programs can compare.
    public struct ErrorInfo: Message {
        /// In capitals, such as API_DISABLED. Unique in its domain.
        public var reason = ""
        /// The domain that defines the reason, such as pubsub.googleapis.com.
        public var domain = ""
        public var metadata: [String: String] = [:]
        public var unknownFields = UnknownFields()

        public init() {}

        public init(reason: String = "", domain: String = "", metadata: [String: String] = [:]) {
            self.reason = reason
            self.domain = domain
            self.metadata = metadata
        }

        public static var messageName: String { "google.rpc.ErrorInfo" }

        public static let layout = Layout<Self> { field in
            field.string(1, \.reason)
            field.string(2, \.domain)
            field.map(3, \.metadata, .string, .string)
        }
    }

    /// When the client may try again.
    public struct RetryInfo: Message {
        public var retryDelay: Google.Protobuf.Duration?
        public var unknownFields = UnknownFields()

        public init() {}

        public init(retryDelay: Google.Protobuf.Duration? = nil) {
            self.retryDelay = retryDelay
        }

        public static var messageName: String { "google.rpc.RetryInfo" }

        public static let layout = Layout<Self> { field in
            field.message(1, \.retryDelay)
        }
    }

    /// Debugging information of the server, such as a stack trace.
    public struct DebugInfo: Message {
        public var stackEntries: [String] = []
        public var detail = ""
        public var unknownFields = UnknownFields()

        public init() {}

        public init(stackEntries: [String] = [], detail: String = "") {
            self.stackEntries = stackEntries
            self.detail = detail
        }

        public static var messageName: String { "google.rpc.DebugInfo" }

        public static let layout = Layout<Self> { field in
            field.string(1, \.stackEntries)
            field.string(2, \.detail)
        }
    }

    /// The exhausted quotas.
    public struct QuotaFailure: Message {
        /// One exhausted quota.
        public struct Violation: Message {
            public var subject = ""
            public var description = ""
            public var apiService = ""
            public var quotaMetric = ""
            public var quotaID = ""
            public var quotaDimensions: [String: String] = [:]
            public var quotaValue: Int64 = 0
            public var futureQuotaValue: Int64?
            public var unknownFields = UnknownFields()

            public init() {}

            public static var messageName: String { "google.rpc.QuotaFailure.Violation" }

            public static let layout = Layout<Self> { field in
                field.string(1, \.subject)
                field.string(2, \.description)
                field.string(3, \.apiService)
                field.string(4, \.quotaMetric)
                field.string(5, \.quotaID)
                field.map(6, \.quotaDimensions, .string, .string)
                field.int64(7, \.quotaValue)
                field.int64(8, \.futureQuotaValue)
            }
        }

        public var violations: [Violation] = []
        public var unknownFields = UnknownFields()

        public init() {}

        public init(violations: [Violation] = []) {
            self.violations = violations
        }

        public static var messageName: String { "google.rpc.QuotaFailure" }

        public static let layout = Layout<Self> { field in
            field.message(1, \.violations)
        }
    }

    /// The failed preconditions of the call.
    public struct PreconditionFailure: Message {
        /// A failed precondition.
        public struct Violation: Message {
            public var type = ""
            public var subject = ""
            public var description = ""
            public var unknownFields = UnknownFields()

            public init() {}

            public init(type: String = "", subject: String = "", description: String = "") {
                self.type = type
                self.subject = subject
                self.description = description
            }

            public static var messageName: String {
                "google.rpc.PreconditionFailure.Violation"
            }

            public static let layout = Layout<Self> { field in
                field.string(1, \.type)
                field.string(2, \.subject)
                field.string(3, \.description)
            }
        }

        public var violations: [Violation] = []
        public var unknownFields = UnknownFields()

        public init() {}

        public init(violations: [Violation] = []) {
            self.violations = violations
        }

        public static var messageName: String { "google.rpc.PreconditionFailure" }

        public static let layout = Layout<Self> { field in
            field.message(1, \.violations)
        }
    }

    /// The invalid fields of the request.
    public struct BadRequest: Message {
        /// One invalid field.
        public struct FieldViolation: Message {
            /// The path of the field, such as emailAddresses[3].type.
            public var field = ""
            public var description = ""
            public var reason = ""
            public var localizedMessage: LocalizedMessage?
            public var unknownFields = UnknownFields()

            public init() {}

            public init(
                field: String = "", description: String = "", reason: String = "",
                localizedMessage: LocalizedMessage? = nil
            ) {
                self.field = field
                self.description = description
                self.reason = reason
                self.localizedMessage = localizedMessage
            }

            public static var messageName: String {
                "google.rpc.BadRequest.FieldViolation"
            }

            public static let layout = Layout<Self> { field in
                field.string(1, \.field)
                field.string(2, \.description)
                field.string(3, \.reason)
                field.message(4, \.localizedMessage)
            }
        }

        public var fieldViolations: [FieldViolation] = []
        public var unknownFields = UnknownFields()

        public init() {}

        public init(fieldViolations: [FieldViolation] = []) {
            self.fieldViolations = fieldViolations
        }

        public static var messageName: String { "google.rpc.BadRequest" }

        public static let layout = Layout<Self> { field in
            field.message(1, \.fieldViolations)
        }
    }

    /// The server's identifiers of the request.
    public struct RequestInfo: Message {
        public var requestID = ""
        /// Only the server can interpret this text.
        public var servingData = ""
        public var unknownFields = UnknownFields()

        public init() {}

        public init(requestID: String = "", servingData: String = "") {
            self.requestID = requestID
            self.servingData = servingData
        }

        public static var messageName: String { "google.rpc.RequestInfo" }

        public static let layout = Layout<Self> { field in
            field.string(1, \.requestID)
            field.string(2, \.servingData)
        }
    }

    /// The resource that the request concerned.
    public struct ResourceInfo: Message {
        public var resourceType = ""
        public var resourceName = ""
        public var owner = ""
        public var description = ""
        public var unknownFields = UnknownFields()

        public init() {}

        public init(
            resourceType: String = "", resourceName: String = "", owner: String = "",
            description: String = ""
        ) {
            self.resourceType = resourceType
            self.resourceName = resourceName
            self.owner = owner
            self.description = description
        }

        public static var messageName: String { "google.rpc.ResourceInfo" }

        public static let layout = Layout<Self> { field in
            field.string(1, \.resourceType)
            field.string(2, \.resourceName)
            field.string(3, \.owner)
            field.string(4, \.description)
        }
    }

    /// Links to more information.
    public struct Help: Message {
        /// A link to more information.
        public struct Link: Message {
            public var description = ""
            public var url = ""
            public var unknownFields = UnknownFields()

            public init() {}

            public init(description: String = "", url: String = "") {
                self.description = description
                self.url = url
            }

            public static var messageName: String { "google.rpc.Help.Link" }

            public static let layout = Layout<Self> { field in
                field.string(1, \.description)
                field.string(2, \.url)
            }
        }

        public var links: [Link] = []
        public var unknownFields = UnknownFields()

        public init() {}

        public init(links: [Link] = []) {
            self.links = links
        }

        public static var messageName: String { "google.rpc.Help" }

        public static let layout = Layout<Self> { field in
            field.message(1, \.links)
        }
    }

    /// An error message for the user.
    public struct LocalizedMessage: Message {
        /// A language tag, such as en-GB.
        public var locale = ""
        public var message = ""
        public var unknownFields = UnknownFields()

        public init() {}

        public init(locale: String = "", message: String = "") {
            self.locale = locale
            self.message = message
        }

        public static var messageName: String { "google.rpc.LocalizedMessage" }

        public static let layout = Layout<Self> { field in
            field.string(1, \.locale)
            field.string(2, \.message)
        }
    }
}
