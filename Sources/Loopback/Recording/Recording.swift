public import SwiftletCore

/// Calls of a server that were recorded, for example by `swiftlet record`.
///
/// ```swift
/// let recording = try Recording(String(contentsOfFile: "calls.jsonl", encoding: .utf8))
/// let server = try LoopbackServer { $0.add(ReplayService(recording)) }
/// ```
///
/// The text has one JSON object on each line. Each object is an event of a call. `call` is the number of the
/// call, `at` the seconds since the recording began, and `event` one of
///
/// | event | further members |
/// | --- | --- |
/// | `start` | `method`, the path; `metadata` |
/// | `request`, `response` | `message`, base64; `json`, for readers, if the type was known |
/// | `half-close` | none: the client has sent its last request |
/// | `headers` | `metadata` |
/// | `status` | `code`, such as `NOT_FOUND`; `message`; `details`, base64; `metadata` |
///
/// Metadata is a list of pairs of name and value; the values of names that end in `-bin` are base64.
/// Other members are ignored.
public struct Recording: Sendable {
    /// An event of a call.
    @nonexhaustive
    public enum Event: Hashable, Sendable {
        case request([UInt8])
        /// The client has sent its last request.
        case halfClose
        case headers(Metadata)
        case response([UInt8])
        /// The end of the call, with the trailing metadata.
        case status(Status, Metadata)
    }

    /// One call.
    public struct Call: Sendable {
        /// `/package.Service/Method`.
        public var path: String
        /// The metadata of the request. `swiftlet record` hides values that authenticate the caller.
        public var metadata: Metadata
        /// The events after the start, in order, with the time since the start.
        public var events: [(time: Duration, event: Event)] = []
        /// The time from the start of the recording to the start of the call.
        var start: Duration

        /// The request messages, in order.
        public var requests: [[UInt8]] {
            events.compactMap { if case .request(let bytes) = $0.event { bytes } else { nil } }
        }

        /// The response messages, in order.
        public var responses: [[UInt8]] {
            events.compactMap { if case .response(let bytes) = $0.event { bytes } else { nil } }
        }

        /// The status; nil if the recording stopped before the call ended.
        public var status: Status? {
            for case (_, .status(let status, _)) in events { return status }
            return nil
        }
    }

    /// The calls in the order in which they started.
    public var calls: [Call] = []

    /// Reads a recording. Fails with INVALID_ARGUMENT, and names the line, if it is not valid.
    public init(_ text: String) throws(RPCError) {
        var reader = RecordingReader()
        var number = 0
        // By bytes, because "\r\n" is one character.
        for line in text.utf8.split(separator: 0x0a, omittingEmptySubsequences: false) {
            number += 1
            if line.allSatisfy({ $0 == 0x20 || $0 == 0x0d || $0 == 0x09 }) { continue }
            try reader.read(String(Substring(line)), number: number)
        }
        calls = reader.calls
    }
}
