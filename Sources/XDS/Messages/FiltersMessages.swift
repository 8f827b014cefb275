import SwiftletMessages
import SwiftletWellKnown

// Messages of the Envoy API, with the fields that a client of gRPC needs.
extension Envoy.Filters {
    /// The filter that sends calls; always the last one.
    struct Router: DropsUnknownFields {
        static var messageName: String { "envoy.extensions.filters.http.router.v3.Router" }

        static let layout = Layout<Self> { _ in }
    }

    /// Delays and aborts calls.
    struct HTTPFault: DropsUnknownFields {
        var delay: Envoy.Filters.FaultDelay?
        var abort: Envoy.Filters.FaultAbort?
        var maxActiveFaults: Google.Protobuf.UInt32Value?

        static var messageName: String { "envoy.extensions.filters.http.fault.v3.HTTPFault" }

        static let layout = Layout<Self> { field in
            field.message(1, \.delay)
            field.message(2, \.abort)
            field.message(6, \.maxActiveFaults)
        }
    }

    /// Which calls are aborted, and how.
    struct FaultAbort: DropsUnknownFields {
        /// Calls whose headers say how they are aborted.
        struct HeaderAbort: DropsUnknownFields {
            static var messageName: String {
                "envoy.extensions.filters.http.fault.v3.FaultAbort.HeaderAbort"
            }

            static let layout = Layout<Self> { _ in }
        }

        enum ErrorType: Hashable, Sendable {
            case httpStatus(UInt32)
            case headerAbort(Envoy.Filters.FaultAbort.HeaderAbort)
            case grpcStatus(UInt32)
        }

        var errorType: ErrorType?
        var percentage: Envoy.Types.FractionalPercent?

        static var messageName: String { "envoy.extensions.filters.http.fault.v3.FaultAbort" }

        static let layout = Layout<Self> { field in
            field.oneof(2, \.errorType, .uint32, ErrorType.httpStatus) {
                if case .httpStatus(let it) = $0 { it } else { nil }
            }
            field.message(3, \.percentage)
            field.oneof(
                4, \.errorType, .message(Envoy.Filters.FaultAbort.HeaderAbort.self),
                ErrorType.headerAbort
            ) {
                if case .headerAbort(let it) = $0 { it } else { nil }
            }
            field.oneof(5, \.errorType, .uint32, ErrorType.grpcStatus) {
                if case .grpcStatus(let it) = $0 { it } else { nil }
            }
        }
    }

    /// Which calls are delayed, and how long.
    struct FaultDelay: DropsUnknownFields {
        /// Calls whose headers say how long they are delayed.
        struct HeaderDelay: DropsUnknownFields {
            static var messageName: String {
                "envoy.extensions.filters.common.fault.v3.FaultDelay.HeaderDelay"
            }

            static let layout = Layout<Self> { _ in }
        }

        enum FaultDelaySecifier: Hashable, Sendable {
            case fixedDelay(Google.Protobuf.Duration)
            case headerDelay(Envoy.Filters.FaultDelay.HeaderDelay)
        }

        var faultDelaySecifier: FaultDelaySecifier?
        var percentage: Envoy.Types.FractionalPercent?

        static var messageName: String { "envoy.extensions.filters.common.fault.v3.FaultDelay" }

        static let layout = Layout<Self> { field in
            field.oneof(
                3, \.faultDelaySecifier, .message(Google.Protobuf.Duration.self),
                FaultDelaySecifier.fixedDelay
            ) {
                if case .fixedDelay(let it) = $0 { it } else { nil }
            }
            field.message(4, \.percentage)
            field.oneof(
                5, \.faultDelaySecifier, .message(Envoy.Filters.FaultDelay.HeaderDelay.self),
                FaultDelaySecifier.headerDelay
            ) {
                if case .headerDelay(let it) = $0 { it } else { nil }
            }
        }
    }

    /// Sends the calls of a session to one endpoint.
    struct StatefulSession: DropsUnknownFields {
        var sessionState: Envoy.Core.TypedExtensionConfig?

        static var messageName: String {
            "envoy.extensions.filters.http.stateful_session.v3.StatefulSession"
        }

        static let layout = Layout<Self> { field in
            field.message(1, \.sessionState)
        }
    }

    /// Another configuration of sessions.
    struct StatefulSessionPerRoute: DropsUnknownFields {
        enum Override: Hashable, Sendable {
            case disabled(Bool)
            case statefulSession(Envoy.Filters.StatefulSession)
        }

        var override: Override?

        static var messageName: String {
            "envoy.extensions.filters.http.stateful_session.v3.StatefulSessionPerRoute"
        }

        static let layout = Layout<Self> { field in
            field.oneof(1, \.override, .bool, Override.disabled) {
                if case .disabled(let it) = $0 { it } else { nil }
            }
            field.oneof(
                2, \.override, .message(Envoy.Filters.StatefulSession.self),
                Override.statefulSession
            ) {
                if case .statefulSession(let it) = $0 { it } else { nil }
            }
        }
    }

    /// Sessions in a cookie.
    struct CookieBasedSessionState: DropsUnknownFields {
        var cookie: Envoy.Types.Cookie?

        static var messageName: String {
            "envoy.extensions.http.stateful_session.cookie.v3.CookieBasedSessionState"
        }

        static let layout = Layout<Self> { field in
            field.message(1, \.cookie)
        }
    }
}

extension Envoy.Types {
    /// A cookie.
    struct Cookie: DropsUnknownFields {
        var name = ""
        var ttl: Google.Protobuf.Duration?
        var path = ""

        static var messageName: String { "envoy.type.http.v3.Cookie" }

        static let layout = Layout<Self> { field in
            field.string(1, \.name)
            field.message(2, \.ttl)
            field.string(3, \.path)
        }
    }
}

extension Envoy.XDSTypes {
    /// The configuration of an extension without a message of its own.
    struct TypedStruct: DropsUnknownFields {
        var typeURL = ""
        var value: Google.Protobuf.Struct?

        static var messageName: String { "xds.type.v3.TypedStruct" }

        static let layout = Layout<Self> { field in
            field.string(1, \.typeURL)
            field.message(2, \.value)
        }
    }
}

extension Envoy.UDPATypes {
    /// The older name of the same message.
    struct TypedStruct: DropsUnknownFields {
        var typeURL = ""
        var value: Google.Protobuf.Struct?

        static var messageName: String { "udpa.type.v1.TypedStruct" }

        static let layout = Layout<Self> { field in
            field.string(1, \.typeURL)
            field.message(2, \.value)
        }
    }
}
