/// The rules of RFC 9113 §8.2 and §8.3 for a list of header fields. A list that breaks one makes
/// its message malformed, which is an error of its stream and leaves the others alone (§8.1.1).
package enum HeaderRules {
    package enum Kind: Sendable {
        case request, response, trailers
    }

    /// The rule that a list breaks.
    package enum Violation: Error, Hashable, Sendable {
        case badName, badValue, badStatus, emptyPath
        case connectionSpecific
        case teOtherThanTrailers
        case unknownPseudoHeader, misplacedPseudoHeader, repeatedPseudoHeader
        case pseudoHeaderOfOtherKind, missingPseudoHeader
    }
}

// MARK: - The check

extension HeaderRules {
    /// Takes each field's own verdict and looks at what the fields are to each other.
    package static func check(_ list: HeaderList, as kind: Kind) throws(Violation) {
        let fields = list.fields.span
        var seen: UInt32 = 0
        for index in fields.indices {
            var verdict = fields[index].verdict
            if verdict == .unchecked {
                verdict = self.verdict(on: fields[index], in: list.octets.span)
            }
            let bit = bit(verdict)
            // A pseudo-header stands before the regular fields, once, and in its place.
            let isInOrder = seen & (bit | self.bit(.regular)) == 0 && bit & kind.allowed != 0
            if verdict != .regular, !isInOrder { throw violation(of: verdict, after: seen, kind) }
            seen |= bit
        }
        if seen & bit(.connectMethod) != 0 {
            try checkConnect(seen)
        } else {
            guard seen & kind.required == kind.required else { throw .missingPseudoHeader }
        }
    }

    /// §8.5: a CONNECT request has an authority, and neither scheme nor path.
    private static func checkConnect(_ seen: UInt32) throws(Violation) {
        guard seen & bit(.method) == 0 else { throw .repeatedPseudoHeader }
        guard seen & (bit(.scheme) | bit(.path)) == 0 else { throw .pseudoHeaderOfOtherKind }
        guard seen & bit(.authority) != 0 else { throw .missingPseudoHeader }
    }

    /// The code of `:status`, which stands first in a response that passed its check.
    package static func status(of list: HeaderList) -> Int? {
        guard let field = list.fields.first,
            field.verdict == .status || list.isName(field, ":status")
        else { return nil }
        return status(list.octets.span.extracting(field.value))
    }

    @inline(__always)
    fileprivate static func bit(_ verdict: Verdict) -> UInt32 { 1 &<< UInt32(verdict.rawValue) }

    /// Why a field with `verdict` may not follow what was `seen`.
    private static func violation(
        of verdict: Verdict, after seen: UInt32, _ kind: Kind
    ) -> Violation {
        switch verdict {
        case .unknownPseudoHeader: .unknownPseudoHeader
        case .badName: .badName
        case .badValue: .badValue
        case .badStatus: .badStatus
        case .emptyPath: .emptyPath
        case .connectionSpecific: .connectionSpecific
        case .teOtherThanTrailers: .teOtherThanTrailers
        case .unchecked, .regular, .method, .connectMethod, .scheme, .authority, .path, .status:
            if seen & bit(.regular) != 0 {
                .misplacedPseudoHeader
            } else if bit(verdict) & kind.allowed == 0 {
                .pseudoHeaderOfOtherKind
            } else {
                .repeatedPseudoHeader
            }
        }
    }
}

extension HeaderRules.Kind {
    fileprivate var required: UInt32 {
        switch self {
        case .request:
            HeaderRules.bit(.method) | HeaderRules.bit(.scheme) | HeaderRules.bit(.path)
        case .response: HeaderRules.bit(.status)
        case .trailers: 0
        }
    }

    fileprivate var allowed: UInt32 {
        switch self {
        case .request: required | HeaderRules.bit(.authority) | HeaderRules.bit(.connectMethod)
        case .response, .trailers: required
        }
    }
}

// MARK: - In words

extension HeaderRules.Violation: CustomStringConvertible {
    package var description: String {
        switch self {
        case .badName: "a header name is empty or has an octet that is not allowed in names"
        case .badValue: "a header value has NUL, CR or LF in it"
        case .badStatus: ":status is not three digits"
        case .emptyPath: ":path is empty"
        case .connectionSpecific: "a header field of HTTP/1.1 connections was sent over HTTP/2"
        case .teOtherThanTrailers: "te says something other than \"trailers\""
        case .unknownPseudoHeader: "a pseudo-header is unknown"
        case .misplacedPseudoHeader: "a pseudo-header follows a regular header field"
        case .repeatedPseudoHeader: "a pseudo-header stands twice"
        case .pseudoHeaderOfOtherKind: "a pseudo-header does not belong into this kind of message"
        case .missingPseudoHeader: "a pseudo-header that must be there is missing"
        }
    }
}
