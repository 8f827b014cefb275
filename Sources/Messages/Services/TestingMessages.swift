public import SwiftletMessages

// The messages of grpc/testing/messages.proto.
extension GRPC.Testing {
    /// The kind of a payload's bytes.
    public struct PayloadType: OpenEnum {
        public var rawValue: Int32

        public init(rawValue: Int32) { self.rawValue = rawValue }

        public static let compressable = PayloadType(rawValue: 0)

        public var name: String? {
            switch self {
            case .compressable: "COMPRESSABLE"
            default: nil
            }
        }
    }

    /// The route of a call to its server.
    public struct GrpclbRouteType: OpenEnum {
        public var rawValue: Int32

        public init(rawValue: Int32) { self.rawValue = rawValue }

        public static let unknown = GrpclbRouteType(rawValue: 0)
        public static let fallback = GrpclbRouteType(rawValue: 1)
        public static let backend = GrpclbRouteType(rawValue: 2)

        public var name: String? {
            switch self {
            case .unknown: "GRPCLB_ROUTE_TYPE_UNKNOWN"
            case .fallback: "GRPCLB_ROUTE_TYPE_FALLBACK"
            case .backend: "GRPCLB_ROUTE_TYPE_BACKEND"
            default: nil
            }
        }
    }

    /// A Boolean value that may be absent.
    public struct BoolValue: Message {
        public var value = false
        public var unknownFields = UnknownFields()

        public init() {}

        public init(value: Bool = false) {
            self.value = value
        }

        public static var messageName: String { "grpc.testing.BoolValue" }

        public static let layout = Layout<Self> { field in
            field.bool(1, \.value)
        }
    }

    /// Bytes of a size that the test chooses.
    public struct Payload: Message {
        public var type = PayloadType()
        public var body: [UInt8] = []
        public var unknownFields = UnknownFields()

        public init() {}

        public init(type: PayloadType = PayloadType(), body: [UInt8] = []) {
            self.type = type
            self.body = body
        }

        public static var messageName: String { "grpc.testing.Payload" }

        public static let layout = Layout<Self> { field in
            field.enumeration(1, \.type)
            field.bytes(2, \.body)
        }
    }

    /// The status with which the server is to end the call.
    public struct EchoStatus: Message {
        public var code: Int32 = 0
        public var message = ""
        public var unknownFields = UnknownFields()

        public init() {}

        public init(code: Int32 = 0, message: String = "") {
            self.code = code
            self.message = message
        }

        public static var messageName: String { "grpc.testing.EchoStatus" }

        public static let layout = Layout<Self> { field in
            field.int32(1, \.code)
            field.string(2, \.message)
        }
    }

    /// A unary call's request.
    public struct SimpleRequest: Message {
        public var responseType = PayloadType()
        /// The number of bytes of the response's payload.
        public var responseSize: Int32 = 0
        public var payload: Payload?
        /// Whether the response must contain the name of the caller.
        public var fillUsername = false
        public var fillOauthScope = false
        /// Whether the response must be compressed. Nil if either is correct.
        public var responseCompressed: BoolValue?
        public var responseStatus: EchoStatus?
        /// Whether the server must refuse a request that is not compressed.
        public var expectCompressed: BoolValue?
        public var fillServerID = false
        public var fillGrpclbRouteType = false
        /// The load that the server must report with the response.
        public var orcaPerQueryReport: TestOrcaReport?
        public var unknownFields = UnknownFields()

        public init() {}

        public static var messageName: String { "grpc.testing.SimpleRequest" }

        public static let layout = Layout<Self> { field in
            field.enumeration(1, \.responseType)
            field.int32(2, \.responseSize)
            field.message(3, \.payload)
            field.bool(4, \.fillUsername)
            field.bool(5, \.fillOauthScope)
            field.message(6, \.responseCompressed)
            field.message(7, \.responseStatus)
            field.message(8, \.expectCompressed)
            field.bool(9, \.fillServerID)
            field.bool(10, \.fillGrpclbRouteType)
            field.message(11, \.orcaPerQueryReport)
        }
    }

    /// The response to a SimpleRequest.
    public struct SimpleResponse: Message {
        public var payload: Payload?
        public var username = ""
        public var oauthScope = ""
        public var serverID = ""
        public var grpclbRouteType = GrpclbRouteType()
        public var hostname = ""
        public var unknownFields = UnknownFields()

        public init() {}

        public static var messageName: String { "grpc.testing.SimpleResponse" }

        public static let layout = Layout<Self> { field in
            field.message(1, \.payload)
            field.string(2, \.username)
            field.string(3, \.oauthScope)
            field.string(4, \.serverID)
            field.enumeration(5, \.grpclbRouteType)
            field.string(6, \.hostname)
        }
    }

    /// One of many requests.
    public struct StreamingInputCallRequest: Message {
        public var payload: Payload?
        /// Whether the server must refuse a request that is not compressed.
        public var expectCompressed: BoolValue?
        public var unknownFields = UnknownFields()

        public init() {}

        public init(payload: Payload? = nil, expectCompressed: BoolValue? = nil) {
            self.payload = payload
            self.expectCompressed = expectCompressed
        }

        public static var messageName: String {
            "grpc.testing.StreamingInputCallRequest"
        }

        public static let layout = Layout<Self> { field in
            field.message(1, \.payload)
            field.message(2, \.expectCompressed)
        }
    }

    /// The response to a stream of ``StreamingInputCallRequest``.
    public struct StreamingInputCallResponse: Message {
        /// The size of all payloads of the requests, in bytes.
        public var aggregatedPayloadSize: Int32 = 0
        public var unknownFields = UnknownFields()

        public init() {}

        public init(aggregatedPayloadSize: Int32 = 0) {
            self.aggregatedPayloadSize = aggregatedPayloadSize
        }

        public static var messageName: String {
            "grpc.testing.StreamingInputCallResponse"
        }

        public static let layout = Layout<Self> { field in
            field.int32(1, \.aggregatedPayloadSize)
        }
    }

    /// The requested size, delay and compression of one response.
    public struct ResponseParameters: Message {
        public var size: Int32 = 0
        /// Microseconds to wait before the response.
        public var intervalUs: Int32 = 0
        /// Whether the server must compress the response; nil if either is correct.
        public var compressed: BoolValue?
        public var unknownFields = UnknownFields()

        public init() {}

        public init(size: Int32 = 0, intervalUs: Int32 = 0, compressed: BoolValue? = nil) {
            self.size = size
            self.intervalUs = intervalUs
            self.compressed = compressed
        }

        public static var messageName: String { "grpc.testing.ResponseParameters" }

        public static let layout = Layout<Self> { field in
            field.int32(1, \.size)
            field.int32(2, \.intervalUs)
            field.message(3, \.compressed)
        }
    }

    /// A request for many responses.
    public struct StreamingOutputCallRequest: Message {
        public var responseType = PayloadType()
        public var responseParameters: [ResponseParameters] = []
        public var payload: Payload?
        public var responseStatus: EchoStatus?
        /// The load that the server must report out of band, and not with the response.
        public var orcaOobReport: TestOrcaReport?
        public var unknownFields = UnknownFields()

        public init() {}

        public static var messageName: String {
            "grpc.testing.StreamingOutputCallRequest"
        }

        public static let layout = Layout<Self> { field in
            field.enumeration(1, \.responseType)
            field.message(2, \.responseParameters)
            field.message(3, \.payload)
            field.message(7, \.responseStatus)
            field.message(8, \.orcaOobReport)
        }
    }

    /// A streamed response.
    public struct StreamingOutputCallResponse: Message {
        public var payload: Payload?
        public var unknownFields = UnknownFields()

        public init() {}

        public init(payload: Payload? = nil) {
            self.payload = payload
        }

        public static var messageName: String {
            "grpc.testing.StreamingOutputCallResponse"
        }

        public static let layout = Layout<Self> { field in
            field.message(1, \.payload)
        }
    }

    /// How long a client may wait before it connects again.
    public struct ReconnectParams: Message {
        public var maxReconnectBackoffMs: Int32 = 0
        public var unknownFields = UnknownFields()

        public init() {}

        public init(maxReconnectBackoffMs: Int32 = 0) {
            self.maxReconnectBackoffMs = maxReconnectBackoffMs
        }

        public static var messageName: String { "grpc.testing.ReconnectParams" }

        public static let layout = Layout<Self> { field in
            field.int32(1, \.maxReconnectBackoffMs)
        }
    }

    /// Whether the client's reconnects followed the specification, and the backoff delays that the
    /// server observed.
    public struct ReconnectInfo: Message {
        public var passed = false
        public var backoffMs: [Int32] = []
        public var unknownFields = UnknownFields()

        public init() {}

        public init(passed: Bool = false, backoffMs: [Int32] = []) {
            self.passed = passed
            self.backoffMs = backoffMs
        }

        public static var messageName: String { "grpc.testing.ReconnectInfo" }

        public static let layout = Layout<Self> { field in
            field.bool(1, \.passed)
            field.int32(2, \.backoffMs)
        }
    }

    /// Load values in the form of an ORCA report.
    public struct TestOrcaReport: Message {
        public var cpuUtilization: Double = 0
        public var memoryUtilization: Double = 0
        public var requestCost: [String: Double] = [:]
        public var utilization: [String: Double] = [:]
        public var unknownFields = UnknownFields()

        public init() {}

        public init(
            cpuUtilization: Double = 0, memoryUtilization: Double = 0,
            requestCost: [String: Double] = [:], utilization: [String: Double] = [:]
        ) {
            self.cpuUtilization = cpuUtilization
            self.memoryUtilization = memoryUtilization
            self.requestCost = requestCost
            self.utilization = utilization
        }

        public static var messageName: String { "grpc.testing.TestOrcaReport" }

        public static let layout = Layout<Self> { field in
            field.double(1, \.cpuUtilization)
            field.double(2, \.memoryUtilization)
            field.map(3, \.requestCost, .string, .double)
            field.map(4, \.utilization, .string, .double)
        }
    }
}
