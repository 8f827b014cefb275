import Swiftlet
import SwiftletLoopback

/// Parses the values of `--fault`: a kind, and the calls to which it applies, such as
/// `status:UNAVAILABLE,on=helloworld.Greeter/SayHello,share=0.1`.
enum FaultOption {
    static let option = CommandOption.value(
        "fault", named: "KIND[,WHEN]",
        help: "a failure to cause, such as stall or status:UNAVAILABLE; repeatable")

    /// The kinds, with the names of their values.
    private static let kinds = [
        "status:CODE", "delay:TIME", "stall", "drop", "drop-after:MESSAGES", "reset:NUMBER",
        "refuse", "goaway", "no-trailers", "garbage",
    ]

    static func faults(_ arguments: Arguments) throws -> [Fault] {
        try arguments.all("--fault").map(fault)
    }

    private static func fault(_ text: String) throws -> Fault {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let kind = try kind(String(parts[0]))
        var (path, call, share): (String?, Int?, Double?)
        for part in parts.dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
            guard pair.count == 2 else {
                throw mistake("'\(part)' is not on=METHOD, call=N or share=P")
            }
            switch pair[0] {
            case "on": path = pair[1].hasPrefix("/") ? pair[1] : "/" + pair[1]
            case "call":
                call = Int(pair[1])
                guard (call ?? 0) > 0 else {
                    throw mistake("not the number of a call: '\(pair[1])'")
                }
            case "share":
                share = Double(pair[1])
                guard let share, 0...1 ~= share else {
                    throw mistake("not a share: '\(pair[1])' (expected 0 to 1)")
                }
            default:
                let hint = NearestMatch.hint(for: pair[0], among: ["on", "call", "share"])
                throw mistake("unknown part '\(pair[0])'\(hint)")
            }
        }
        switch (path, call, share) {
        case (_, _?, _?): throw mistake("'call' and 'share' exclude each other")
        case (let path?, let call?, nil): return .on(path, call: call, kind)
        case (nil, let call?, nil): return .call(call, kind)
        case (let path, nil, let share?):
            return .randomly(share, on: path, seed: .random(in: .min ... .max), kind)
        case (let path?, nil, nil): return .on(path, kind)
        case (nil, nil, nil): return .always(kind)
        }
    }

    private static func kind(_ text: String) throws -> Fault.Kind {
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        let value = parts.count == 2 ? parts[1] : nil
        switch (parts.first ?? "", value) {
        case ("stall", nil): return .stall
        case ("drop", nil): return .drop
        case ("refuse", nil): return .refuse
        case ("goaway", nil): return .goAway()
        case ("no-trailers", nil): return .missingTrailers
        case ("garbage", nil): return .garbage
        case ("status", let value?): return .status(try status(value), "caused by --fault")
        case ("delay", let value?):
            guard let time = Duration(commandLine: value) else {
                throw mistake("not a time: '\(value)' (expected for example 200ms)")
            }
            return .delay(time)
        case ("drop-after", let value?):
            guard let count = Int(value), count >= 0 else {
                throw mistake("not a count of messages: '\(value)'")
            }
            return .dropAfterMessages(count)
        case ("reset", let value?):
            guard let number = UInt32(value), let code = Fault.ResetCode(rawValue: number) else {
                throw mistake("not an error code of HTTP/2: '\(value)' (expected 0 to 13)")
            }
            return .reset(code)
        default:
            let names = kinds.map { String($0.prefix { $0 != ":" }) }
            let hint = NearestMatch.hint(for: parts.first ?? "", among: names)
            throw mistake(
                "not a kind: '\(text)'\(hint) (expected \(kinds.joined(separator: ", ")))")
        }
    }

    private static func status(_ text: String) throws -> StatusCode {
        let number = Int(text).flatMap { 1...16 ~= $0 ? StatusCode(rawValue: $0) : nil }
        guard let code = number ?? StatusCode(name: text.uppercased()), code != .ok else {
            let hint = NearestMatch.hint(for: text, among: Array(StatusCode.names.dropFirst()))
            throw mistake(
                "not an error status: '\(text)'\(hint) (expected a name such as UNAVAILABLE, or 1 to 16)"
            )
        }
        return code
    }

    private static func mistake(_ text: String) -> UsageError {
        UsageError(message: "--fault: \(text)", isAboutUsage: false)
    }
}
