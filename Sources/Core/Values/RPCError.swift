import SwiftletTransport

/// Why a call failed. Contains the status that the server sent, or a status that the client made, and the
/// context of the failure.
///
/// ```swift
/// do {
///     print(try await greeter.sayHello(.init(name: "world")).message)
/// } catch {
///     print(error)  // UNAVAILABLE: connect 127.0.0.1:50051: connection refused; attempt 1, …
/// }
/// ```
public struct RPCError: Error, Sendable {
    /// The side that detected the failure.
    public enum Origin: Hashable, Sendable { case client, server }

    /// The step at which a call failed.
    @nonexhaustive
    public enum Phase: Hashable, Sendable {
        /// Before anything was sent: an argument is invalid.
        case preparing
        case resolve, connect, tls, http2
        /// On the call's own stream.
        case stream
        /// The server sent the status.
        case server
    }

    /// One attempt to connect to the server.
    public struct Attempt: Hashable, Sendable {
        /// The address after name resolution, such as `127.0.0.1:50051`.
        public var address: String
        /// Why the attempt failed.
        public var cause: String

        public init(address: String, cause: String) {
            self.address = address
            self.cause = cause
        }
    }

    /// The state of a channel without a connection.
    public struct Reconnection: Hashable, Sendable {
        /// Failed attempts (connections or look-ups) since the backoff was last reset.
        public var attemptNumber: Int
        /// The time from the error to the next attempt. Nil if the channel makes the next attempt only when a
        /// call needs it.
        public var nextAttempt: Duration?

        public init(attemptNumber: Int, nextAttempt: Duration? = nil) {
            self.attemptNumber = attemptNumber
            self.nextAttempt = nextAttempt
        }
    }

    /// One reference, so that a result without an error is small.
    private var storage: Storage

    /// Shared by copies of the error until one is changed.
    private final class Storage: Sendable {
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
        var method: String?
        var causes: [String] = []
        var attempts: [Attempt] = []
        var reconnection: Reconnection?
        var waited: Duration?
        var mayHaveBeenExecuted = true
        var finality: Finality?
        var timeline: CallTimeline?
    }

    @inline(never)  // Has many callers.
    public init(_ code: StatusCode, _ message: String) {
        storage = Storage(Values(code: code == .ok ? .unknown : code, message: message))
    }

    /// The error of a status; nil for OK.
    public init?(_ status: Status) {
        guard status.code != .ok else { return nil }
        self.init(status.code, status.message)
        origin = .server
        phase = .server
        details = status.details
    }

    @inline(never)  // Has many callers.
    private mutating func set(_ change: (inout Values) -> Void) {
        var values = storage.values
        change(&values)
        storage = Storage(values)
    }
}

// MARK: - Properties

extension RPCError {
    /// Why no other attempt follows an attempt that failed, whatever the retry policy says.
    package enum Finality: Sendable {
        /// The picker dropped the call.
        case dropped
        /// The arguments of the call are wrong.
        case invalidArguments
        /// The channel was closed. The attempts that have a connection continue.
        case channelClosed
    }

    /// Nil if the retry policy decides whether another attempt follows.
    package var finality: Finality? {
        get { storage.values.finality }
        set { set { $0.finality = newValue } }
    }
}

extension RPCError {
    /// Never ``StatusCode/ok``. If an error is made with OK, its code is ``StatusCode/unknown``.
    public var code: StatusCode {
        get { storage.values.code }
        set { set { $0.code = newValue } }
    }

    /// The message of the server or of this library.
    ///
    /// A server's message is unchanged, including newlines and control characters, except that of many combining
    /// marks in a row only the first 30 are kept. For logs, ``description`` replaces control characters and limits
    /// the length.
    public var message: String {
        get { storage.values.message }
        set { set { $0.message = newValue } }
    }

    /// The bytes of `grpc-status-details-bin`.
    public var details: [UInt8] {
        get { storage.values.details }
        set { set { $0.details = newValue } }
    }

    /// The trailing metadata.
    public var metadata: Metadata {
        get { storage.values.metadata }
        set { set { $0.metadata = newValue } }
    }

    /// The initial metadata.
    public var initialMetadata: Metadata {
        get { storage.values.initialMetadata }
        set { set { $0.initialMetadata = newValue } }
    }

    /// Whether the server sent the status, or the client detected the failure.
    public var origin: Origin {
        get { storage.values.origin }
        set { set { $0.origin = newValue } }
    }

    /// The step at which the call failed.
    public var phase: Phase {
        get { storage.values.phase }
        set { set { $0.phase = newValue } }
    }

    /// The address of the server. Nil if there was no connection.
    public var peer: String? {
        get { storage.values.peer }
        set { set { $0.peer = newValue } }
    }

    /// The path of the method, such as `/helloworld.Greeter/SayHello`. Nil if the error is of no call.
    public var method: String? {
        get { storage.values.method }
        set { set { $0.method = newValue } }
    }

    /// The causes, the most direct one first: a system error, a TLS alert, the code and text of a GOAWAY, the
    /// code of a RST_STREAM.
    public var causes: [String] {
        get { storage.values.causes }
        set { set { $0.causes = newValue } }
    }

    /// The earlier failed attempts: attempts to connect, of which the last 16 are kept, and attempts of a call
    /// that was retried.
    public var attempts: [Attempt] {
        get { storage.values.attempts }
        set { set { $0.attempts = newValue } }
    }

    /// The state of the channel if it has no connection; nil otherwise.
    public var reconnection: Reconnection? {
        get { storage.values.reconnection }
        set { set { $0.reconnection = newValue } }
    }

    /// The time from the start of the call to the failure.
    public var waited: Duration? {
        get { storage.values.waited }
        set { set { $0.waited = newValue } }
    }

    /// The times of the call; nil if it was not started.
    public var timeline: CallTimeline? {
        get { storage.values.timeline }
        set { set { $0.timeline = newValue } }
    }

    /// Whether the server may have processed the request. If false, it is safe to send the request again.
    public var mayHaveBeenExecuted: Bool {
        get { storage.values.mayHaveBeenExecuted }
        set { set { $0.mayHaveBeenExecuted = newValue } }
    }

    /// The code, message and details as a status.
    public var status: Status { Status(code, message, details: details) }
}

extension RPCError {
    /// An error in the arguments of a call. Nothing was sent.
    @inline(never)  // Has many callers.
    package static func refused(_ code: StatusCode, _ message: String) -> RPCError {
        var error = RPCError(code, message)
        error.phase = .preparing
        error.mayHaveBeenExecuted = false
        error.finality = .invalidArguments
        return error
    }

    /// The error of a picker that has no subchannel for a call.
    package static func noConnection(_ message: String) -> RPCError {
        var error = RPCError(.unavailable, message).notExecuted
        error.phase = .connect
        return error
    }

    /// Records the method of the call, and the time that the whole call has taken so far.
    package mutating func note(waited: Duration, method: String) {
        set { values in
            values.waited = waited
            values.method = method
        }
    }

    /// The same error for a call that no server has received.
    package var notExecuted: RPCError {
        var error = self
        error.mayHaveBeenExecuted = false
        return error
    }
}

extension RPCError: Hashable {
    /// Errors are equal if their codes, messages and details are.
    public static func == (left: RPCError, right: RPCError) -> Bool {
        left.code == right.code && left.message == right.message && left.details == right.details
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(message)
    }
}

extension RPCError: CustomStringConvertible {
    /// The whole error on one line. Control characters are replaced by spaces. The message is cut after
    /// 1,024 bytes and each cause after 256.
    public var description: String {
        let message = Self.shown(message)
        var text = message.isEmpty ? "\(code)" : "\(code): \(message)"
        if let peer, !message.containsBytes(of: peer) { text += " [\(peer)]" }
        let causes = causes.map { PeerText.clean($0) }
        for cause in causes { text += "; \(cause)" }
        for attempt in attempts(without: [message] + causes) { text += "; \(attempt)" }
        if let reconnection { text += "; \(reconnection)" }
        // A call that failed at once has not waited.
        if let waited, waited >= .microseconds(500) {
            text += "; waited \(waited.text(in: .seconds(1), digitCount: 3)) s"
        }
        if let method { text += "; in \(PeerText.clean(method))" }
        return text
    }

    /// The attempts as text, without those whose cause is shown already: a failure to connect lists its attempts
    /// as causes, too. Equal ones that follow each other are counted.
    private func attempts(without shown: [String]) -> [String] {
        var shown = shown.map { Array($0.utf8) }
        var texts: [(text: String, count: Int)] = []
        for attempt in attempts {
            let cause = PeerText.clean(attempt.cause)
            let bytes = Array(cause.utf8)
            // Each text in the list is the cause of one attempt.
            if let index = shown.firstIndex(of: bytes) {
                shown.remove(at: index)
                continue
            }
            let text = attempt.address.isEmpty ? cause : "\(attempt.address): \(cause)"
            if let last = texts.last, last.text.utf8.elementsEqual(text.utf8) {
                texts[texts.count - 1].count += 1
            } else {
                texts.append((text, 1))
            }
        }
        return texts.map { $0.count == 1 ? $0.text : "\($0.count) × \($0.text)" }
    }

    /// A message on one line, without control characters, and cut after 1,024 bytes.
    package static func shown(_ message: String) -> String {
        PeerText.clean(message, upTo: 1_024)
    }
}

extension RPCError.Reconnection: CustomStringConvertible {
    /// `attempt 3 of the channel, which tries again in 1.6 s`. The channel tries again, and not the call.
    public var description: String {
        let attempt = "attempt \(attemptNumber) of the channel"
        guard let nextAttempt, nextAttempt > .zero else { return attempt }
        let seconds = nextAttempt.text(in: .seconds(1), digitCount: 1)
        return "\(attempt), which tries again in \(seconds) s"
    }
}
