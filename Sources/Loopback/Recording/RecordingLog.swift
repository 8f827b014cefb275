import SwiftletCore
import Synchronization

/// Writes events of calls as the lines of a recording.
package final class RecordingLog: Sendable {
    /// Returns a message as JSON, for readers; nil if its type is not known.
    package typealias Describe =
        @Sendable (_ path: String, _ isRequest: Bool, _ message: [UInt8]) -> String?

    private let keepsSecrets: Bool
    private let describe: Describe
    private let write: @Sendable (String) -> Void
    private let start = ContinuousClock.now
    private let callCount = Mutex(0)

    /// - Parameters:
    ///   - keepsSecrets: Whether values that authenticate the caller are written. Otherwise they are replaced
    ///     by `(hidden)`.
    ///   - describe: Returns a message as JSON on one line.
    ///   - write: Writes a line, which ends with a newline. Called by several threads.
    package init(
        keepsSecrets: Bool, describe: @escaping Describe,
        to write: @escaping @Sendable (String) -> Void
    ) {
        self.keepsSecrets = keepsSecrets
        self.describe = describe
        self.write = write
    }

    /// Writes the start of a call. Returns its number.
    func begin(_ path: String, _ metadata: Metadata) -> Int {
        let call = callCount.withLock { count in
            count += 1
            return count
        }
        line(call, "start", "\"method\": \(JSONText.quoted(path)), \(members(metadata))")
        return call
    }

    func note(_ event: Recording.Event, of call: Int, _ path: String) {
        switch event {
        case .request(let bytes): line(call, "request", members(bytes, path, isRequest: true))
        case .halfClose: line(call, "half-close", "")
        case .headers(let metadata): line(call, "headers", members(metadata))
        case .response(let bytes): line(call, "response", members(bytes, path, isRequest: false))
        case .status(let status, let metadata):
            var text = "\"code\": \"\(status.code)\""
            if !status.message.isEmpty {
                text += ", \"message\": \(JSONText.quoted(status.message))"
            }
            if !status.details.isEmpty {
                text += ", \"details\": \"\(Base64.encode(status.details))\""
            }
            line(call, "status", text + ", " + members(metadata))
        }
    }

    private func line(_ call: Int, _ event: String, _ members: String) {
        let microseconds = Int64(start.duration(to: .now) / .microseconds(1))
        let fraction = "\(1_000_000 + microseconds % 1_000_000)".dropFirst()
        let rest = members.isEmpty ? "" : ", " + members
        write(
            "{\"call\": \(call), \"at\": \(microseconds / 1_000_000).\(fraction), "
                + "\"event\": \"\(event)\"\(rest)}\n")
    }

    private func members(_ message: [UInt8], _ path: String, isRequest: Bool) -> String {
        let json = describe(path, isRequest, message).map { ", \"json\": \($0)" } ?? ""
        return "\"message\": \"\(Base64.encode(message))\"\(json)"
    }

    /// The metadata without what a peer may send and an application may not: readers would refuse it.
    private func members(_ metadata: Metadata) -> String {
        let pairs = metadata.filter { element in
            MetadataRules.problem(element.name, element.value) == nil
                || element.name == RetryPushback.name
        }.map { element in
            let value =
                switch element.value {
                case _ where !keepsSecrets && MetadataRules.hasSecretName(element.name):
                    // A value of bytes must be base64, so that the recording can be read.
                    if case .text = element.value {
                        "(hidden)"
                    } else {
                        Base64.encode(Array("(hidden)".utf8))
                    }
                case .text(let text): text
                case .bytes(let bytes): Base64.encode(bytes)
                }
            return "[\(JSONText.quoted(element.name)), \(JSONText.quoted(value))]"
        }
        return "\"metadata\": [\(pairs.joined(separator: ", "))]"
    }
}
