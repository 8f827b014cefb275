import SwiftletCore
import SwiftletJSON

extension MethodConfig {
    init(_ object: ConfigObject) throws(RPCError) {
        var names: [Name] = []
        for name in try object.objects("name") ?? [] { names.append(try Name(name)) }
        self.init(names)
        timeout = try object.duration("timeout")
        waitForReady = try object.bool("waitForReady")
        maxRequestByteCount = try object.byteCount("maxRequestMessageBytes")
        maxResponseByteCount = try object.byteCount("maxResponseMessageBytes")
        attempts = try Attempts(object)
    }
}

extension MethodConfig.Name {
    /// An empty text counts as a missing one.
    fileprivate init(_ object: ConfigObject) throws(RPCError) {
        let service = try object.string("service") ?? ""
        let method = try object.string("method") ?? ""
        switch (service.isEmpty, method.isEmpty) {
        case (true, true): self = .all
        case (false, true): self = .service(service)
        case (false, false): self = .method(service: service, method: method)
        case (true, false): throw object.error("service", "is required if a method is given")
        }
    }
}

extension MethodConfig.Attempts {
    fileprivate init?(_ object: ConfigObject) throws(RPCError) {
        let retry = try object.object("retryPolicy")
        let hedging = try object.object("hedgingPolicy")
        switch (retry, hedging) {
        case (let retry?, nil): self = .retry(try RetryPolicy(retry))
        case (nil, let hedging?): self = .hedging(try HedgingPolicy(hedging))
        case (nil, nil): return nil
        case (_?, _?):
            throw object.error("hedgingPolicy", "is not allowed together with a retryPolicy")
        }
    }
}

extension RetryPolicy {
    fileprivate init(_ object: ConfigObject) throws(RPCError) {
        self.init(
            maxAttempts: try object.maxAttempts(), retryableCodes: try object.retryableCodes())
        initialBackoff = try object.backoff("initialBackoff")
        maxBackoff = try object.backoff("maxBackoff")
        let multiplier = try object.number("backoffMultiplier")
        backoffMultiplier = try object.required("backoffMultiplier", multiplier)
        guard backoffMultiplier > 0 else {
            throw object.error("backoffMultiplier", "expected a number above 0")
        }
    }
}

extension HedgingPolicy {
    fileprivate init(_ object: ConfigObject) throws(RPCError) {
        self.init(maxAttempts: try object.maxAttempts())
        delay = try object.duration("hedgingDelay") ?? .zero
        nonFatalCodes = try object.codes("nonFatalStatusCodes") ?? []
    }
}

extension RetryThrottling {
    init(_ object: ConfigObject) throws(RPCError) {
        let maxTokens = try object.integer("maxTokens", in: 1...1_000)
        let ratio = try object.required("tokenRatio", try object.number("tokenRatio"))
        self.init(maxTokens: try object.required("maxTokens", maxTokens), tokenRatio: ratio)
        guard tokenRatioInThousandths > 0 else {
            throw object.error("tokenRatio", "expected a number of 0.001 or more")
        }
    }
}

extension ConfigObject {
    fileprivate func byteCount(_ name: String) throws(RPCError) -> Int? {
        try integer(name, in: 0...Int(UInt32.max))
    }

    fileprivate func maxAttempts() throws(RPCError) -> Int {
        try required("maxAttempts", try integer("maxAttempts", in: 2...Int.max))
    }

    fileprivate func backoff(_ name: String) throws(RPCError) -> Duration {
        let backoff = try required(name, try duration(name))
        guard backoff > .zero else { throw error(name, "expected a duration above 0") }
        return backoff
    }

    fileprivate func retryableCodes() throws(RPCError) -> Set<StatusCode> {
        let name = "retryableStatusCodes"
        let codes = try required(name, try codes(name))
        guard !codes.isEmpty else { throw error(name, "expected at least one status code") }
        return codes
    }

    /// Status codes as integers or as names in any case.
    fileprivate func codes(_ name: String) throws(RPCError) -> Set<StatusCode>? {
        guard let values = try array(name) else { return nil }
        var codes: Set<StatusCode> = []
        for (index, value) in values.enumerated() {
            guard let code = StatusCode(value) else {
                throw unexpected(value, at: "\(name)[\(index)]", "a status code")
            }
            codes.insert(code)
        }
        return codes
    }
}

extension StatusCode {
    /// A number from 0 to 16, or a name in any case; nil for any other value.
    fileprivate init?(_ value: ConfigValue) {
        switch value {
        case .number(let digits):
            guard let number = Int(digits), (0...16).contains(number) else { return nil }
            self.init(rawValue: number)
        case .string(let name):
            self.init(name: name.uppercased())
        default:
            return nil
        }
    }
}
