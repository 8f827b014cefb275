import SwiftletBalancing
import SwiftletTransport

extension [HashPolicy] {
    /// The hash of a call (A42); nil if no policy has one, so that the call goes to a random endpoint.
    ///
    /// - Parameter channelID: A random number of the channel.
    func hash(of call: CallHeaders, channelID: UInt64) -> UInt64? {
        var result: UInt64?
        for policy in self {
            var part: UInt64?
            switch policy.source {
            case .channelID: part = channelID
            case .header(let name, let rewrite):
                if let value = call.value(of: name)?.contiguous {
                    let text = rewrite?.apply(to: value.span).contiguous ?? value
                    part = XXH64.hash(text.span)
                }
            }
            if let part {
                // The earlier hash is rotated, so that two equal ones do not cancel each other.
                let earlier = result ?? 0
                result = (earlier << 1 | earlier >> 63) ^ part
            }
            if policy.isTerminal, result != nil { break }
        }
        return result
    }
}
