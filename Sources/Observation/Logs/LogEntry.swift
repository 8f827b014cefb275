import SwiftletCore

/// An entry of a log: as values for a logging system, and as a line of text for people.
///
/// | Event | Fields in addition to those of every call |
/// | --- | --- |
/// | `request headers`, `response headers`, `trailers` | `rpc.grpc.request.metadata.NAME`, `rpc.grpc.response.metadata.NAME` |
/// | `request message`, `response message` | `byte_count` |
/// | `call ended` | `rpc.grpc.status_code`, `duration_us`, `error`, `network.peer.address`, `sent_bytes`, `received_bytes`, `streams` |
///
/// Every entry of a call has `rpc.system`, `rpc.service` and `rpc.method`. The event of a channel is the name of its
/// `ChannelEvent.Kind`, such as `connectivity`; its fields are `server.address`, which is the target, and the values
/// of the kind.
public struct LogEntry: Sendable {
    /// How important an entry is. Levels of logging systems have the same names.
    public enum Level: Int, Sendable, Comparable, CaseIterable {
        case trace, debug, info, warning, error

        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// A part of a call that is logged.
    enum Part: String {
        case requestHeaders = "request headers"
        case requestMessage = "request message"
        case responseHeaders = "response headers"
        case responseMessage = "response message"
        case trailers
    }

    struct CallOutcome {
        let error: RPCError?
        /// Whether the call was cancelled, or failed, on this side.
        let isLocal: Bool
        let duration: Duration
        let timeline: CallTimeline?
    }

    enum Content: Sendable {
        case metadata(Part, Metadata, hidden: Set<String>)
        case message(Part, byteCount: Int)
        case end(CallOutcome)
        case channel(ChannelEvent)
    }

    public let level: Level
    /// The path of the call's method, or the target of the channel.
    let subject: String
    let content: Content

    /// What happened, in words that do not depend on its values: `call ended`.
    public var event: String {
        switch content {
        case .metadata(let part, _, _), .message(let part, _): part.rawValue
        case .end: "call ended"
        case .channel(let event): event.name
        }
    }

    /// The values of the event, with OpenTelemetry's keys where it has some. Secrets are hidden, and text from a server
    /// has no control characters.
    public var fields: [TraceAttribute] {
        switch content {
        case .metadata(let part, let metadata, let hidden):
            let direction = part == .requestHeaders ? "request" : "response"
            return callFields
                + metadata.map { element in
                    let value = hidden.contains(element.name) ? "(hidden)" : element.shownValue
                    return TraceAttribute(
                        "rpc.grpc.\(direction).metadata.\(element.name)", .text(value))
                }
        case .message(_, let byteCount):
            return callFields + [TraceAttribute("byte_count", .number(byteCount))]
        case .end(let end): return callFields + end.fields
        case .channel(let event):
            return [TraceAttribute("server.address", .text(subject))] + event.fields
        }
    }

    private var callFields: [TraceAttribute] { TraceAttribute.method(subject) }
}

extension LogEntry: CustomStringConvertible {
    /// One line, without the level and the time.
    public var description: String {
        switch content {
        case .metadata(let part, let metadata, let hidden):
            let fields = metadata.map { element in
                hidden.contains(element.name)
                    ? "\(element.name): (hidden)" : element.description
            }
            return "\(subject) \(part.arrow) [\(fields.joined(separator: ", "))]"
        case .message(let part, let byteCount):
            return "\(subject) \(part.arrow) of \(byteCount) bytes"
        case .end(let end): return "\(subject) \(end)"
        case .channel(let event): return subject.isEmpty ? "\(event)" : "\(subject): \(event)"
        }
    }
}

extension LogEntry.Part {
    fileprivate var arrow: String {
        switch self {
        case .requestHeaders: "→ headers"
        case .requestMessage: "→ message"
        case .responseHeaders: "← headers"
        case .responseMessage: "← message"
        case .trailers: "← trailers"
        }
    }
}

// MARK: - The end of a call

extension LogEntry.CallOutcome: CustomStringConvertible {
    var description: String {
        let status =
            isLocal ? "\(error?.code ?? .ok) here" : error.map { "\($0)" } ?? "\(StatusCode.ok)"
        return "\(status) in \(duration.inMilliseconds)" + (timeline.map { "; \($0)" } ?? "")
    }

    fileprivate var fields: [TraceAttribute] {
        var fields = [
            TraceAttribute("rpc.grpc.status_code", .number((error?.code ?? .ok).rawValue)),
            TraceAttribute("duration_us", .number(Int(duration / .microseconds(1)))),
        ]
        if let error { fields.append(TraceAttribute("error", .text("\(error)"))) }
        guard let timeline else { return fields }
        if let peer = timeline.peer {
            fields.append(TraceAttribute("network.peer.address", .text(peer)))
        }
        fields += [
            TraceAttribute("sent_bytes", .number(timeline.sentByteCount)),
            TraceAttribute("received_bytes", .number(timeline.receivedByteCount)),
            TraceAttribute("streams", .number(timeline.streamCount)),
        ]
        return fields
    }
}

extension LogEntry.Level {
    /// The level for the end of a call: OpenTelemetry counts some codes as failures of the server.
    init(endOf error: RPCError?) {
        switch error?.code {
        case nil, .cancelled: self = .info
        case .unknown, .deadlineExceeded, .unimplemented, .internal, .unavailable, .dataLoss:
            self = .error
        default: self = .warning
        }
    }
}
