import Foundation
import Swiftlet

/// A line of standard input.
struct Command: Decodable {
    enum Action: String, Decodable {
        /// Makes `channel` for `target`.
        case open
        /// Closes `channel`.
        case close
        /// Sends `count` calls, one after the other or `together`.
        case call
        /// Opens a call that lasts until it is finished, and waits for its first reply.
        case hold
        /// Begins a call that runs while other commands do.
        case begin
        /// Waits for the outcome of the call `id`.
        case finish
        /// Cancels the call `id`.
        case cancel
        /// Sends calls for `seconds`, `count` at any time.
        case load
        /// Tells what is known of each resource.
        case status
    }

    var `do`: Action
    var channel: String?
    var target: String?
    var credentials: String?
    var arguments: [String: Argument]?
    var id: String?
    var path: String?
    /// Names and values. Those of binary headers are hexadecimal.
    var metadata: [[String]]?
    var timeout: Double?
    var wait: Bool?
    var body: String?
    var count: Int?
    var together: Bool?
    var seconds: Double?
    /// Whether calls are made on the thread of their connections.
    var onQueue: Bool?
}

/// A command that cannot be carried out.
struct BadCommand: Error {
    var reason: String
}

/// The value of a channel argument.
enum Argument: Decodable {
    case integer(Int)
    case text(String)

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else {
            self = .text(try container.decode(String.self))
        }
    }

    var value: ChannelArguments.Value {
        switch self {
        case .integer(let value): .integer(value)
        case .text(let value): .string(value)
        }
    }
}

extension Command {
    func options() throws -> CallOptions {
        var options = CallOptions()
        options.timeout = timeout.map { .seconds($0) }
        options.waitForReady = wait
        for pair in metadata ?? [] {
            if pair[0].hasSuffix("-bin") {
                try options.metadata.add(bytes: Self.bytes(hex: pair[1]), for: pair[0])
            } else {
                try options.metadata.add(pair[1], for: pair[0])
            }
        }
        return options
    }

    private static func bytes(hex: String) -> [UInt8] {
        let digits = hex.utf8.map { $0 < 0x3a ? $0 - 0x30 : $0 - 0x57 }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
