import SwiftletCore
import SwiftletJSON
import SwiftletTransport

/// Reads the lines of a recording.
struct RecordingReader {
    /// Enough for a message of 64 MiB in base64, with the other members of its line.
    private static let maxLineByteCount = 96 << 20

    private(set) var calls: [Recording.Call] = []
    /// The indexes of calls by their numbers in the recording.
    private var indexes: [String: Int] = [:]

    /// Reads a line, and adds its event to its call.
    mutating func read(_ text: String, number: Int) throws(RPCError) {
        let value = try JSONReader.read(
            text, of: "recording", firstLine: number, maxByteCount: Self.maxLineByteCount)
        guard case .object(let members) = value else {
            throw .line(number, "an object was expected, not \(value.shown)")
        }
        let line = Line(number: number, members: members)
        let name = try line.text("event")
        let call = try line.number("call")
        let time = try line.seconds("at")
        if name == "start" { return try start(call, line, at: time) }
        guard let index = indexes[call] else {
            throw line.error("call \(call) has no 'start' before this line")
        }
        // No event follows the status.
        if case .status? = calls[index].events.last?.event {
            throw line.error("call \(call) has ended before")
        }
        guard let event = try line.event(name) else {
            throw line.error(
                "unknown event '\(name)' (expected start, request, half-close, headers, response, "
                    + "status)")
        }
        calls[index].events.append((max(.zero, time - calls[index].start), event))
    }

    private mutating func start(
        _ call: String, _ line: Line, at time: Duration
    ) throws(RPCError) {
        guard indexes[call] == nil else { throw line.error("call \(call) has started before") }
        let path = try line.text("method")
        guard MethodName.isLegal(path) else {
            throw line.error("not a method: '\(path)' (expected /package.Service/Method)")
        }
        indexes[call] = calls.count
        calls.append(
            Recording.Call(path: path, metadata: try line.metadata("metadata"), start: time))
    }
}

/// The members of one line.
private struct Line {
    let number: Int
    let members: [String: ConfigValue]

    func error(_ message: String) -> RPCError { .line(number, message) }

    /// Nil for an unknown event name.
    func event(_ name: String) throws(RPCError) -> Recording.Event? {
        switch name {
        case "request": .request(try bytes("message"))
        case "response": .response(try bytes("message"))
        case "half-close": .halfClose
        case "headers": .headers(try metadata("metadata"))
        case "status": .status(try status(), try metadata("metadata"))
        default: nil
        }
    }

    private func status() throws(RPCError) -> Status {
        let name = try text("code")
        guard let code = StatusCode(name: name) else {
            throw error("'\(name)' is not a status code (expected a name such as NOT_FOUND)")
        }
        return Status(
            code, members["message"] == nil ? "" : try text("message"),
            details: members["details"] == nil ? [] : try bytes("details"))
    }

    func text(_ name: String) throws(RPCError) -> String {
        guard case .string(let text)? = members[name] else {
            throw error("'\(name)' is missing or is not a string")
        }
        // Compared below, and by readers of the recording.
        return WireText.bounded(text)
    }

    /// The digits of a number.
    func number(_ name: String) throws(RPCError) -> String {
        guard case .number(let digits)? = members[name] else {
            throw error("'\(name)' is missing or is not a number")
        }
        return digits
    }

    func seconds(_ name: String) throws(RPCError) -> Duration {
        guard let seconds = Double(try number(name)), seconds >= 0, seconds < 1e12 else {
            throw error("'\(name)' is not a time in seconds from 0 to 1e12")
        }
        return .seconds(seconds)
    }

    private func bytes(_ name: String) throws(RPCError) -> [UInt8] {
        guard let bytes = Base64.decode(try text(name).utf8) else {
            throw error("'\(name)' is not base64")
        }
        return bytes
    }

    /// Empty where the member is absent.
    func metadata(_ name: String) throws(RPCError) -> Metadata {
        var metadata = Metadata()
        guard let value = members[name] else { return metadata }
        guard case .array(let pairs) = value else { throw error("'\(name)' is not a list") }
        for pair in pairs {
            guard case .array(let parts) = pair, parts.count == 2,
                case .string(let name) = parts[0], case .string(let value) = parts[1]
            else { throw error("'\(name)' has an element that is not a pair of strings") }
            do throws(RPCError) {
                try add(value, for: name, to: &metadata)
            } catch let problem {
                throw error(problem.message)
            }
        }
        return metadata
    }

    private func add(
        _ value: String, for name: String, to metadata: inout Metadata
    ) throws(RPCError) {
        // Only a server may set it.
        if name == RetryPushback.name {
            return metadata.append(received: .text(value), for: name)
        }
        guard name.hasSuffix("-bin") else { return try metadata.add(value, for: name) }
        guard let bytes = Base64.decode(value.utf8) else {
            throw error("the value of '\(name)' is not base64")
        }
        try metadata.add(bytes: bytes, for: name)
    }
}

extension RPCError {
    fileprivate static func line(_ number: Int, _ message: String) -> RPCError {
        .refused(.invalidArgument, "recording, line \(number): \(message)")
    }
}
