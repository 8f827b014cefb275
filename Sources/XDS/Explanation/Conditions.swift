import SwiftletCore
import SwiftletTransport

// The conditions of routes in words.

extension Route.Match {
    /// All of them must hold.
    var conditions: [String] {
        var conditions = ["the path \(path)"] + headers.map { "\($0)" }
        if let millionths { conditions.append("\(Self.percent(millionths)) of the calls") }
        return conditions
    }

    /// `12.5 %`.
    static func percent(_ millionths: UInt32) -> String {
        let fraction = "\(10_000 + millionths % 10_000)".utf8.dropFirst()
        var digits = Substring(fraction).utf8
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        return "\(millionths / 10_000)" + (digits.isEmpty ? "" : ".\(Substring(digits))") + " %"
    }
}

extension TextMatcher: CustomStringConvertible {
    var description: String {
        let condition =
            switch pattern {
            case .exact(let bytes): "is \(Self.quoted(bytes))"
            case .prefix(let bytes): "begins with \(Self.quoted(bytes))"
            case .suffix(let bytes): "ends with \(Self.quoted(bytes))"
            case .contains(let searched): "contains \(Self.quoted(searched.bytes))"
            case .regex(let expression): "matches \(Self.quoted(Array(expression.pattern.utf8)))"
            }
        return condition + (ignoresCase ? " in either case" : "")
    }

    static func quoted(_ bytes: [UInt8]) -> String {
        "'\(ByteText(String(decoding: bytes, as: UTF8.self)))'"
    }
}

extension HeaderMatcher: CustomStringConvertible {
    var description: String {
        switch condition {
        case .isPresent(let isPresent):
            return "the header '\(name)' is \(isPresent == isInverted ? "absent" : "present")"
        case .text(let matcher): return subject + "\(matcher)"
        case .number(let start, let end):
            return subject + "is a number from \(start) to below \(end)"
        }
    }

    private var subject: String {
        "the header '\(name)' " + (isInverted ? "is present, and it is not true that it " : "")
    }
}

extension Domain: CustomStringConvertible {
    var description: String {
        func text(_ bytes: [UInt8]) -> String {
            "\(ByteText(String(decoding: bytes, as: UTF8.self)))"
        }
        switch self {
        case .exact(let bytes): return text(bytes)
        case .suffix(let bytes): return "*" + text(bytes)
        case .prefix(let bytes): return text(bytes) + "*"
        case .all: return "*"
        }
    }
}

extension HashPolicy: CustomStringConvertible {
    var description: String {
        let last = isTerminal ? ", the last one if it has a value" : ""
        switch source {
        case .channelID: return "a random number of the channel" + last
        case .header(let name, nil): return "the header '\(name)'" + last
        case .header(let name, let rewrite?):
            let pattern = TextMatcher.quoted(Array(rewrite.expression.pattern.utf8))
            return "the header '\(name)', in which matches of \(pattern) are replaced" + last
        }
    }
}

extension ClusterPolicy: CustomStringConvertible {
    var description: String {
        switch self {
        case .localities(let policy): "\(policy) within localities by weight"
        case .roundRobin: "round_robin"
        case .pickFirst: "pick_first"
        case .leastRequest(let count): "least_request of \(count)"
        case .ringHash(let minSize, let maxSize): "ring_hash (\(minSize) to \(maxSize) entries)"
        case .weightedRoundRobin: "weighted_round_robin"
        case .registered(let box): "\(ByteText(box.policy.name))"
        }
    }
}
