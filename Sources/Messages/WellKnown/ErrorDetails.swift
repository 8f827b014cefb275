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

        @inlinable
        public init() {}

        @inlinable
        public init(reason: String = "", domain: String = "", metadata: [String: String] = [:]) {
            self.reason = reason
            self.domain = domain
            self.metadata = metadata
        }

        @inlinable public static var messageName: String { "google.rpc.ErrorInfo" }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.string(1, &reason)
            try field.string(2, &domain)
            try field.map(3, &metadata, .string, .string)
        }
    }

    /// When the client may try again.
    public struct RetryInfo: Message {
        public var retryDelay: Google.Protobuf.Duration?
        public var unknownFields = UnknownFields()

        @inlinable
        public init() {}

        @inlinable
        public init(retryDelay: Google.Protobuf.Duration? = nil) {
            self.retryDelay = retryDelay
        }

        @inlinable public static var messageName: String { "google.rpc.RetryInfo" }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.message(1, &retryDelay)
        }
    }

    /// Debugging information of the server, such as a stack trace.
    public struct DebugInfo: Message {
        public var stackEntries: [String] = []
        public var detail = ""
        public var unknownFields = UnknownFields()

        @inlinable
        public init() {}

        @inlinable
        public init(stackEntries: [String] = [], detail: String = "") {
            self.stackEntries = stackEntries
            self.detail = detail
        }

        @inlinable public static var messageName: String { "google.rpc.DebugInfo" }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.string(1, &stackEntries)
            try field.string(2, &detail)
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

            @inlinable
            public init() {}

            @inlinable public static var messageName: String { "google.rpc.QuotaFailure.Violation" }

            @inlinable
            public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
                try field.string(1, &subject)
                try field.string(2, &description)
                try field.string(3, &apiService)
                try field.string(4, &quotaMetric)
                try field.string(5, &quotaID)
                try field.map(6, &quotaDimensions, .string, .string)
                try field.int64(7, &quotaValue)
                try field.int64(8, &futureQuotaValue)
            }
        }

        public var violations: [Violation] = []
        public var unknownFields = UnknownFields()

        @inlinable
        public init() {}

        @inlinable
        public init(violations: [Violation] = []) {
            self.violations = violations
        }

        @inlinable public static var messageName: String { "google.rpc.QuotaFailure" }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.message(1, &violations)
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

            @inlinable
            public init() {}

            @inlinable
            public init(type: String = "", subject: String = "", description: String = "") {
                self.type = type
                self.subject = subject
                self.description = description
            }

            @inlinable public static var messageName: String {
                "google.rpc.PreconditionFailure.Violation"
            }

            @inlinable
            public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
                try field.string(1, &type)
                try field.string(2, &subject)
                try field.string(3, &description)
            }
        }

        public var violations: [Violation] = []
        public var unknownFields = UnknownFields()

        @inlinable
        public init() {}

        @inlinable
        public init(violations: [Violation] = []) {
            self.violations = violations
        }

        @inlinable public static var messageName: String { "google.rpc.PreconditionFailure" }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.message(1, &violations)
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

            @inlinable
            public init() {}

            @inlinable
            public init(
                field: String = "", description: String = "", reason: String = "",
                localizedMessage: LocalizedMessage? = nil
            ) {
                self.field = field
                self.description = description
                self.reason = reason
                self.localizedMessage = localizedMessage
            }

            @inlinable public static var messageName: String {
                "google.rpc.BadRequest.FieldViolation"
            }

            @inlinable
            public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
                try field.string(1, &self.field)
                try field.string(2, &description)
                try field.string(3, &reason)
                try field.message(4, &localizedMessage)
            }
        }

        public var fieldViolations: [FieldViolation] = []
        public var unknownFields = UnknownFields()

        @inlinable
        public init() {}

        @inlinable
        public init(fieldViolations: [FieldViolation] = []) {
            self.fieldViolations = fieldViolations
        }

        @inlinable public static var messageName: String { "google.rpc.BadRequest" }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.message(1, &fieldViolations)
        }
    }

    /// The server's identifiers of the request.
    public struct RequestInfo: Message {
        public var requestID = ""
        /// Only the server can interpret this text.
        public var servingData = ""
        public var unknownFields = UnknownFields()

        @inlinable
        public init() {}

        @inlinable
        public init(requestID: String = "", servingData: String = "") {
            self.requestID = requestID
            self.servingData = servingData
        }

        @inlinable public static var messageName: String { "google.rpc.RequestInfo" }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.string(1, &requestID)
            try field.string(2, &servingData)
        }
    }

    /// The resource that the request concerned.
    public struct ResourceInfo: Message {
        public var resourceType = ""
        public var resourceName = ""
        public var owner = ""
        public var description = ""
        public var unknownFields = UnknownFields()

        @inlinable
        public init() {}

        @inlinable
        public init(
            resourceType: String = "", resourceName: String = "", owner: String = "",
            description: String = ""
        ) {
            self.resourceType = resourceType
            self.resourceName = resourceName
            self.owner = owner
            self.description = description
        }

        @inlinable public static var messageName: String { "google.rpc.ResourceInfo" }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.string(1, &resourceType)
            try field.string(2, &resourceName)
            try field.string(3, &owner)
            try field.string(4, &description)
        }
    }

    /// Links to more information.
    public struct Help: Message {
        /// A link to more information.
        public struct Link: Message {
            public var description = ""
            public var url = ""
            public var unknownFields = UnknownFields()

            @inlinable
            public init() {}

            @inlinable
            public init(description: String = "", url: String = "") {
                self.description = description
                self.url = url
            }

            @inlinable public static var messageName: String { "google.rpc.Help.Link" }

            @inlinable
            public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
                try field.string(1, &description)
                try field.string(2, &url)
            }
        }

        public var links: [Link] = []
        public var unknownFields = UnknownFields()

        @inlinable
        public init() {}

        @inlinable
        public init(links: [Link] = []) {
            self.links = links
        }

        @inlinable public static var messageName: String { "google.rpc.Help" }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.message(1, &links)
        }
    }

    /// An error message for the user.
    public struct LocalizedMessage: Message {
        /// A language tag, such as en-GB.
        public var locale = ""
        public var message = ""
        public var unknownFields = UnknownFields()

        @inlinable
        public init() {}

        @inlinable
        public init(locale: String = "", message: String = "") {
            self.locale = locale
            self.message = message
        }

        @inlinable public static var messageName: String { "google.rpc.LocalizedMessage" }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.string(1, &locale)
            try field.string(2, &message)
        }
    }
}
