/// Why a call failed: a status that the server sent, or one that was made up here for what went
/// wrong on the way, with everything that is known about it.
///
/// ```swift
/// do {
///     print(try await greeter.sayHello(.init(name: "world")).message)
/// } catch {
///     print(error)  // UNAVAILABLE: connect 127.0.0.1:50051: connection refused (attempt 1, …
/// }
/// ```
public struct RPCError: Error, Sendable {
    /// Who says that the call failed.
    public enum Origin: Hashable, Sendable { case client, server }

    /// How far the call had come.
    public enum Phase: Hashable, Sendable {
        /// Before anything was sent: the arguments were wrong.
        case preparing
        case resolve, connect, tls, http2
        /// On the call's own stream.
        case stream
        /// The server itself answered so.
        case server
    }

    /// One try to reach the server.
    public struct Attempt: Hashable, Sendable {
        /// The address that was tried, as the name was looked up: `127.0.0.1:50051`.
        public var address: String
        /// Why it failed, in plain words.
        public var cause: String
    }

    /// One reference, because most calls end well, and each would carry the room for an error along.
    private var story: Story

    /// Shared by copies until one is changed.
    private final class Story: Sendable {
        let values: Values
        init(_ values: Values) { self.values = values }
    }

    private struct Values: Sendable {
        var code: StatusCode
        var message: String
        var details: [UInt8] = []
        var metadata = Metadata()
        var initialMetadata = Metadata()
        var origin = Origin.client
        var phase = Phase.stream
        var peer: String?
        var causes: [String] = []
        var attempts: [Attempt] = []
        var waited: Duration?
        var mayHaveBeenExecuted = true
        var timeline: CallTimeline?
    }

    public init(_ code: StatusCode, _ message: String) {
        story = Story(Values(code: code == .ok ? .unknown : code, message: message))
    }

    /// The error that a status other than OK is; nil for OK.
    public init?(_ status: Status) {
        guard status.code != .ok else { return nil }
        self.init(status.code, status.message)
        origin = .server
        phase = .server
        details = status.details
    }

    private mutating func set(_ change: (inout Values) -> Void) {
        var values = story.values
        change(&values)
        story = Story(values)
    }
}

// MARK: - What is known

extension RPCError {
    /// Never ``StatusCode/ok``: what is said to be an error and OK is ``StatusCode/unknown``.
    public var code: StatusCode {
        get { story.values.code }
        set { set { $0.code = newValue } }
    }

    /// What went wrong, in words for whoever reads the log: the server's, or this library's own.
    public var message: String {
        get { story.values.message }
        set { set { $0.message = newValue } }
    }

    /// The octets of `grpc-status-details-bin`.
    public var details: [UInt8] {
        get { story.values.details }
        set { set { $0.details = newValue } }
    }

    /// What the server sent with its status.
    public var metadata: Metadata {
        get { story.values.metadata }
        set { set { $0.metadata = newValue } }
    }

    /// What the server sent before.
    public var initialMetadata: Metadata {
        get { story.values.initialMetadata }
        set { set { $0.initialMetadata = newValue } }
    }

    /// Whether the server itself said so, or it was found here.
    public var origin: Origin {
        get { story.values.origin }
        set { set { $0.origin = newValue } }
    }

    /// How far the call had come when it failed.
    public var phase: Phase {
        get { story.values.phase }
        set { set { $0.phase = newValue } }
    }

    /// The address of the server, where there was one.
    public var peer: String? {
        get { story.values.peer }
        set { set { $0.peer = newValue } }
    }

    /// What led to it, in plain words, the nearest cause first: a system error, a TLS alert, the
    /// code and words of a GOAWAY, the code of a reset.
    public var causes: [String] {
        get { story.values.causes }
        set { set { $0.causes = newValue } }
    }

    /// The tries to reach a server that failed before.
    public var attempts: [Attempt] {
        get { story.values.attempts }
        set { set { $0.attempts = newValue } }
    }

    /// How long the call had been under way.
    public var waited: Duration? {
        get { story.values.waited }
        set { set { $0.waited = newValue } }
    }

    /// When what happened in the course of the call; nil when it never came so far.
    public var timeline: CallTimeline? {
        get { story.values.timeline }
        set { set { $0.timeline = newValue } }
    }

    /// Whether the server may have acted on the request. When not, it is safe to send again.
    public var mayHaveBeenExecuted: Bool {
        get { story.values.mayHaveBeenExecuted }
        set { set { $0.mayHaveBeenExecuted = newValue } }
    }

    /// The status that the error amounts to.
    public var status: Status { Status(code, message, details: details) }
}

extension RPCError {
    /// What is wrong with what the program asked for: nothing was sent.
    package static func refused(_ code: StatusCode, _ message: String) -> RPCError {
        var error = RPCError(code, message)
        error.phase = .preparing
        error.mayHaveBeenExecuted = false
        return error
    }

    /// The same of a call that no server can have seen.
    var notExecuted: RPCError {
        var error = self
        error.mayHaveBeenExecuted = false
        return error
    }
}

extension RPCError: Hashable {
    /// Errors are equal when they say the same: code, message and details.
    public static func == (left: RPCError, right: RPCError) -> Bool {
        left.code == right.code && left.message == right.message && left.details == right.details
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(message)
    }
}

extension RPCError: CustomStringConvertible {
    /// The whole story in one line.
    public var description: String {
        var text = message.isEmpty ? "\(code)" : "\(code): \(message)"
        if let peer, !Self.has(message, peer) { text += " [\(peer)]" }
        for cause in causes { text += "; \(cause)" }
        // An attempt's cause stands among the causes already, as a rule.
        for attempt in attempts where !Self.has(text, attempt.cause) {
            text += "; \(attempt.address): \(attempt.cause)"
        }
        if let waited { text += "; waited \(waited.text(in: .seconds(1), digitCount: 3)) s" }
        return text
    }

    /// Whether `text` has `part` in it. Octet by octet: the search that strings come with would
    /// bring its engine for regular expressions, a megabyte, into every static binary.
    private static func has(_ text: String, _ part: String) -> Bool {
        let octets = Array(text.utf8)
        return part.isEmpty || octets.indices.contains { octets[$0...].starts(with: part.utf8) }
    }
}
