public import SwiftletCore
import SwiftletInterceptors

/// Writes an entry for each call at its end, and the events of channels that it follows.
///
/// ```swift
/// let log = CallLog { print($0) }
/// let channel = try Channel(target, credentials: .insecure, interceptors: [.all(log.interceptor)])
/// // /helloworld.Greeter/SayHello OK in 1.20 ms; 127.0.0.1:50051, 1 stream: sent after 0.02 ms, …
/// ```
///
/// | Level | Entries of this level |
/// | --- | --- |
/// | ``LogEntry/Level/error`` | calls that ended with UNKNOWN, DEADLINE_EXCEEDED, UNIMPLEMENTED, INTERNAL, UNAVAILABLE or DATA_LOSS |
/// | ``LogEntry/Level/warning`` | other failed calls, failures of a channel |
/// | ``LogEntry/Level/info`` | calls that ended with OK or CANCELLED, the channel's state, its connections |
/// | ``LogEntry/Level/debug`` | headers and trailers, other events of a channel |
/// | ``LogEntry/Level/trace`` | each message, with its size |
///
/// The values of secret headers are never written: `authorization`, cookies, `x-api-key`, names that contain
/// `token`, `secret` or `password`, names that end in `-bin` and are not gRPC's own, and those named in
/// ``redactedHeaders``. Control characters in text from a server are replaced by spaces. Each value is cut after
/// 256 bytes, and the message of an error after 1,024.
public struct CallLog: Sendable {
    /// The lowest level that is written. What is below it costs a call nothing.
    public var level: LogEntry.Level
    /// Further headers whose values are not written.
    public var redactedHeaders: Set<String>
    private let write: @Sendable (LogEntry) -> Void

    /// - Parameters:
    ///   - level: The lowest level that is written.
    ///   - redactedHeaders: Further headers whose values are not written.
    ///   - write: Receives each entry, on the threads of calls and connections. Several may run at the same time.
    public init(
        _ level: LogEntry.Level = .info, redacting redactedHeaders: Set<String> = [],
        write: @escaping @Sendable (LogEntry) -> Void
    ) {
        self.level = level
        self.redactedHeaders = Set(redactedHeaders.map { $0.lowercased() })
        self.write = write
    }

    /// Writes the entries of calls.
    public var interceptor: InterceptorFactory {
        InterceptorFactory("log") { call in LoggingInterceptor(self, call.path) }
    }

    /// Writes the events of a channel from now on: its state, its endpoints and its connections. Does not keep the
    /// channel.
    ///
    /// - Returns: The task that writes them. It ends with the channel's shutdown, or when it is cancelled.
    @discardableResult
    public func follow(_ channel: Channel) -> Task<Void, Never> {
        let target = channel.snapshot?.target ?? ""
        let events = channel.events
        return Task {
            for await event in events { note(event.level, target, .channel(event)) }
        }
    }
}

extension CallLog {
    fileprivate func note(
        _ level: LogEntry.Level, _ subject: String, _ content: @autoclosure () -> LogEntry.Content
    ) {
        guard level >= self.level else { return }
        write(LogEntry(level: level, subject: subject, content: content()))
    }
}

private final class LoggingInterceptor: Interceptor {
    private let log: CallLog
    private let path: String
    private var begun = ContinuousClock.now
    private var isOver = false

    init(_ log: CallLog, _ path: String) {
        self.log = log
        self.path = path
    }

    func start(_ options: CallOptions, _ call: InterceptedCall) {
        begun = .now
        note(.requestHeaders, options.metadata)
        call.start(options)
    }

    func write(_ message: RawMessage, _ call: InterceptedCall) {
        log.note(.trace, path, .message(.requestMessage, byteCount: message.byteCount))
        call.write(message)
    }

    func cancel(_ call: InterceptedCall) {
        noteEnd(call.cancellation, isLocal: true, nil)
        call.cancel()
    }

    func receive(initialMetadata: Metadata, _ call: InterceptedCall) {
        note(.responseHeaders, initialMetadata)
        call.deliver(initialMetadata: initialMetadata)
    }

    func receive(_ message: RawMessage, _ call: InterceptedCall) {
        log.note(.trace, path, .message(.responseMessage, byteCount: message.byteCount))
        call.deliver(message)
    }

    func close(_ end: CallEnd, _ call: InterceptedCall) {
        if !isOver { note(.trailers, end.trailers) }
        noteEnd(end.error, isLocal: false, end.timeline)
        call.close(end)
    }

    private func note(_ part: LogEntry.Part, _ metadata: Metadata) {
        log.note(.debug, path, .metadata(part, metadata, hidden: log.redactedHeaders))
    }

    /// Only the first end counts: the server's may be on its way when the call is cancelled, and the other way round.
    private func noteEnd(
        _ error: RPCError?, isLocal: Bool, _ timeline: @autoclosure () -> CallTimeline?
    ) {
        guard !isOver else { return }
        isOver = true
        let end = LogEntry.CallOutcome(
            error: error, isLocal: isLocal, duration: begun.duration(to: .now),
            timeline: timeline())
        log.note(LogEntry.Level(endOf: error), path, .end(end))
    }
}
