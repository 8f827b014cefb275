import SwiftletCore
import SwiftletMessages
import SwiftletWellKnown

/// The configuration of a filter that clients have.
enum FilterConfig: Hashable, Sendable {
    /// Sends the call. Always the last filter.
    case router
    case fault(FaultConfig)
    /// Nil: sessions are off.
    case statefulSession(SessionCookie?)
}

extension FilterConfig {
    /// Whether the filter is one of sessions, even if they are off.
    var isSession: Bool { if case .statefulSession = self { true } else { false } }
}

/// Another configuration of a filter, for a virtual host, a route or a cluster.
enum FilterOverride: Hashable, Sendable {
    case fault(FaultConfig)
    case statefulSession(SessionCookie?)
    /// The filter is off.
    case disabled
}

/// Delays and aborts calls (A33).
struct FaultConfig: Hashable, Sendable {
    enum Delay: Hashable, Sendable {
        case fixed(Duration)
        /// The header `x-envoy-fault-delay-request` has the milliseconds.
        case header
    }

    enum Abort: Hashable, Sendable {
        case status(Int)
        case http(Int)
        /// The headers `x-envoy-fault-abort-request` and `x-envoy-fault-abort-grpc-request` have the status.
        case header
    }

    /// A part of the calls. Headers may lower the numerator.
    struct Share: Hashable, Sendable {
        let numerator: UInt32
        let denominator: UInt32

        fileprivate static let none = Share(numerator: 0, denominator: 100)
    }

    fileprivate(set) var delay: Delay?
    fileprivate(set) var delayed = Share.none
    fileprivate(set) var abort: Abort?
    fileprivate(set) var aborted = Share.none
    /// The most calls of the process that wait or are aborted at the same time.
    fileprivate(set) var maxActiveFaults = UInt32.max
}

/// The cookie that names the endpoint of a session (A55).
struct SessionCookie: Hashable, Sendable {
    let name: ByteText
    let lifetime: Duration
    let path: ByteText
}

// MARK: - Checking

extension FilterConfig {
    /// Nil if the type is not one of a client's filters, or is not valid; `isKnown` tells which.
    init?(
        _ config: ExtensionConfig, isKnown: inout Bool, _ violations: inout Violations
    ) {
        let field: StaticString = "typed_config"
        isKnown = true
        if config.isOfType(Envoy.Filters.Router.self) {
            guard config.message(field, Envoy.Filters.Router.self, &violations) != nil else {
                return nil
            }
            self = .router
        } else if config.isOfType(Envoy.Filters.HTTPFault.self) {
            guard let message = config.message(field, Envoy.Filters.HTTPFault.self, &violations)
            else { return nil }
            self = .fault(violations.within(field) { FaultConfig(message, &$0) })
        } else if config.isOfType(Envoy.Filters.StatefulSession.self) {
            guard
                let message = config.message(
                    field, Envoy.Filters.StatefulSession.self, &violations)
            else { return nil }
            self = .statefulSession(
                violations.within(field) { SessionCookie(message, &$0) })
        } else {
            isKnown = false
            return nil
        }
    }
}

extension FilterOverride {
    /// Those of filters that only servers have. They have no effect: clients and servers can share a route
    /// configuration (A39).
    private static let typesOfServers: Set = ["envoy.extensions.filters.http.rbac.v3.RBACPerRoute"]

    /// The overrides of a message by the names of the filters. Unknown ones that are optional are left out, and those of
    /// servers' filters.
    static func all(
        _ messages: [String: Google.Protobuf.AnyMessage], _ violations: inout Violations
    ) -> [ByteText: FilterOverride] {
        var overrides: [ByteText: FilterOverride] = [:]
        for (name, any) in messages {
            let name = ByteText(name)
            violations.within("typed_per_filter_config") { violations in
                overrides[name] = FilterOverride(name, any, &violations)
            }
        }
        return overrides
    }

    private init?(
        _ name: ByteText, _ any: Google.Protobuf.AnyMessage, _ violations: inout Violations
    ) {
        var any = any
        var isOptional = false
        if any.holds(Envoy.Routes.FilterConfig.self) {
            guard
                let outer = violations.decode(nil, any.value, as: Envoy.Routes.FilterConfig.self)
            else { return nil }
            isOptional = outer.isOptional
            if outer.disabled {
                self = .disabled
                return
            }
            guard let inner = outer.config else {
                if !isOptional { violations.add("config", "is required for '\(name)'") }
                return nil
            }
            any = inner
        }
        guard let config = ExtensionConfig("config", any, &violations) else { return nil }
        if config.isOfType(Envoy.Filters.HTTPFault.self) {
            guard let message = config.message("config", Envoy.Filters.HTTPFault.self, &violations)
            else { return nil }
            self = .fault(FaultConfig(message, &violations))
        } else if config.isOfType(Envoy.Filters.StatefulSessionPerRoute.self) {
            let type = Envoy.Filters.StatefulSessionPerRoute.self
            guard let message = config.message("config", type, &violations) else { return nil }
            guard case .statefulSession(let session)? = message.override else {
                self = .statefulSession(nil)
                return
            }
            self = .statefulSession(SessionCookie(session, &violations))
        } else {
            if !isOptional, !Self.typesOfServers.contains(config.typeName) {
                violations.add(
                    nil, "'\(name)': the type '\(config.typeName.prefix(200))' is not known")
            }
            return nil
        }
    }
}

extension FaultConfig {
    init(_ message: Envoy.Filters.HTTPFault, _ violations: inout Violations) {
        if let message = message.delay {
            violations.within("delay") { violations in
                switch message.faultDelaySecifier {
                case .fixedDelay(let duration)?:
                    delay = violations.duration("fixed_delay", duration).map { .fixed($0) }
                case .headerDelay?: delay = .header
                case nil: break
                }
                if let share = message.percentage { delayed = Share(share, &violations) }
            }
        }
        if let message = message.abort {
            violations.within("abort") { violations in
                switch message.errorType {
                case .httpStatus(let status)?: abort = .http(Int(status))
                case .grpcStatus(let status)?:
                    abort = violations.number("grpc_status", status, in: 0...16).map { .status($0) }
                case .headerAbort?: abort = .header
                case nil: break
                }
                if let share = message.percentage { aborted = Share(share, &violations) }
            }
        }
        maxActiveFaults = message.maxActiveFaults?.value ?? .max
    }
}

extension FaultConfig.Share {
    fileprivate init(_ message: Envoy.Types.FractionalPercent, _ violations: inout Violations) {
        let field: StaticString = "percentage"
        // The factor from one unit to a millionth is known where the denominator is.
        let unit = violations.millionths(
            field, .with { ($0.numerator, $0.denominator) = (1, message.denominator) })
        self.init(
            numerator: message.numerator, denominator: unit == 0 ? 100 : 1_000_000 / unit)
    }
}

extension SessionCookie {
    /// Nil without a violation if the message has no session: the filter is off.
    init?(_ message: Envoy.Filters.StatefulSession, _ violations: inout Violations) {
        guard let state = message.sessionState else { return nil }
        let field: StaticString = "session_state.typed_config"
        let type = Envoy.Filters.CookieBasedSessionState.self
        guard let message = violations.unpack(field, state.typedConfig, as: type) else {
            return nil
        }
        guard let cookie = message.cookie else {
            violations.add(field, "has no cookie")
            return nil
        }
        name = violations.nonempty("session_state.typed_config.cookie.name", cookie.name)
        if !Self.isLegal(cookie.name, without: "=;, \"") {
            violations.add("session_state.typed_config.cookie.name", "is not a legal name")
        }
        if !Self.isLegal(cookie.path, without: ";") {
            violations.add("session_state.typed_config.cookie.path", "is not a legal path")
        }
        lifetime =
            violations.duration("session_state.typed_config.cookie.ttl", cookie.ttl) ?? .zero
        path = ByteText(cookie.path)
    }

    /// Whether the text can be a part of a header: visible ASCII without these characters.
    private static func isLegal(_ text: String, without excluded: String) -> Bool {
        text.utf8.allSatisfy { 0x21...0x7e ~= $0 && !excluded.utf8.contains($0) }
    }
}
