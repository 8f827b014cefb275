public import SwiftletCore

/// Writes a line for each call at its end.
///
/// ```swift
/// let log = CallLog { print($0) }
/// let channel = try Channel(target, credentials: .insecure, interceptors: [.all(log.interceptor)])
/// // /helloworld.Greeter/SayHello OK in 1.20 ms; 127.0.0.1:50051, 1 stream: sent after 0.02 ms, …
/// ```
///
/// The values of secret headers are never written: `authorization`, cookies, `x-api-key`, names that contain
/// `token`, `secret` or `password`, names that end in `-bin` and are not gRPC's own, and those named in
/// ``redactedHeaders``. Control characters in text from a server are replaced by spaces, and each value is cut after
/// 256 bytes.
public struct CallLog: Sendable {
    /// The lines that are written in addition to the line for the end.
    public struct Detail: OptionSet, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// One line each for the request headers, the response headers and the trailers.
        public static let headers = Detail(rawValue: 1)
        /// A line for each message, with its size.
        public static let messages = Detail(rawValue: 2)
    }

    public var detail: Detail
    /// Further headers whose values are not written.
    public var redactedHeaders: Set<String>
    private let write: @Sendable (String) -> Void

    public init(
        _ detail: Detail = [], redacting redactedHeaders: Set<String> = [],
        write: @escaping @Sendable (String) -> Void
    ) {
        self.detail = detail
        self.redactedHeaders = Set(redactedHeaders.map { $0.lowercased() })
        self.write = write
    }

    public var interceptor: InterceptorFactory {
        InterceptorFactory("log") { call in LoggingInterceptor(self, call.path) }
    }
}

extension CallLog {
    fileprivate func note(_ text: String) { write(text) }

    fileprivate func text(of metadata: Metadata) -> String {
        let fields = metadata.map { element in
            redactedHeaders.contains(element.name)
                ? "\(element.name): (hidden)" : element.description
        }
        return "[\(fields.joined(separator: ", "))]"
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
        if log.detail.contains(.headers) {
            log.note("\(path) → headers \(log.text(of: options.metadata))")
        }
        call.start(options)
    }

    func write(_ message: RawMessage, _ call: InterceptedCall) {
        if log.detail.contains(.messages) {
            log.note("\(path) → message of \(message.byteCount) bytes")
        }
        call.write(message)
    }

    func cancel(_ call: InterceptedCall) {
        isOver = true
        let duration = begun.duration(to: .now).inMilliseconds
        log.note("\(path) \(call.cancellation.code) here in \(duration)")
        call.cancel()
    }

    func receive(initialMetadata: Metadata, _ call: InterceptedCall) {
        if log.detail.contains(.headers) {
            log.note("\(path) ← headers \(log.text(of: initialMetadata))")
        }
        call.deliver(initialMetadata: initialMetadata)
    }

    func receive(_ message: RawMessage, _ call: InterceptedCall) {
        if log.detail.contains(.messages) {
            log.note("\(path) ← message of \(message.byteCount) bytes")
        }
        call.deliver(message)
    }

    func close(_ end: CallEnd, _ call: InterceptedCall) {
        // The event may have been on its way when the call was cancelled.
        guard !isOver else { return call.close(end) }
        if log.detail.contains(.headers) {
            log.note("\(path) ← trailers \(log.text(of: end.trailers))")
        }
        let status = end.error.map { "\($0)" } ?? "OK"
        let duration = begun.duration(to: .now).inMilliseconds
        let timeline = end.timeline.map { "; \($0)" } ?? ""
        log.note("\(path) \(status) in \(duration)\(timeline)")
        call.close(end)
    }
}
