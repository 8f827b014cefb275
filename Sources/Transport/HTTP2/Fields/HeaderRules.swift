/// The rules of RFC 9113 §8.2 and §8.3 for a list of header fields. A list that breaks a rule is
/// malformed, which is an error of its stream (§8.1.1).
package enum HeaderRules {
    package enum Kind: Sendable {
        case request, response, trailers
    }

    /// The rule that a list breaks.
    package enum Violation: Error, Equatable, Sendable {
        case badName, badValue, badStatus, emptyPath
        case connectionSpecific
        case teOtherThanTrailers
        case unknownPseudoHeader, misplacedPseudoHeader, repeatedPseudoHeader
        case pseudoHeaderOfOtherKind, missingPseudoHeader
    }
}

// MARK: - The check

extension HeaderRules {
    /// Checks the fields, and their order and number.
    package static func check(_ list: HeaderList, as kind: Kind) throws(Violation) {
        let contiguous = list.fields.contiguous
        let fields = contiguous.span
        var seen: UInt32 = 0
        for index in fields.indices {
            var verdict = fields[index].verdict
            if verdict == .unchecked {
                verdict = self.verdict(on: fields[index], in: list.bytes.contiguous.span)
            }
            let bit = bit(verdict)
            // A pseudo-header precedes the regular fields, at most once, in the right kind of
            // message.
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

    /// §8.5: a CONNECT request has an authority, and no scheme or path.
    private static func checkConnect(_ seen: UInt32) throws(Violation) {
        guard seen & bit(.method) == 0 else { throw .repeatedPseudoHeader }
        guard seen & (bit(.scheme) | bit(.path)) == 0 else { throw .pseudoHeaderOfOtherKind }
        guard seen & bit(.authority) != 0 else { throw .missingPseudoHeader }
    }

    /// The code of `:status`, which is the first field of a valid response.
    package static func status(of list: HeaderList) -> Int? {
        guard let field = list.fields.first,
            field.verdict == .status || list.isName(field, ":status")
        else { return nil }
        return status(list.bytes.contiguous.span.extracting(field.value))
    }

    @inline(__always)
    fileprivate static func bit(_ verdict: Verdict) -> UInt32 { 1 &<< UInt32(verdict.rawValue) }

    /// Why a field with `verdict` may not follow the fields in `seen`.
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

// MARK: - Descriptions

extension HeaderRules.Violation: CustomStringConvertible {
    package var description: String {
        switch self {
        case .badName: "a header name is empty or contains a byte that is not allowed"
        case .badValue: "a header value contains NUL, CR or LF"
        case .badStatus: ":status is not three digits"
        case .emptyPath: ":path is empty"
        case .connectionSpecific: "a header field of HTTP/1.1 connections was sent over HTTP/2"
        case .teOtherThanTrailers: "te has another value than \"trailers\""
        case .unknownPseudoHeader: "a pseudo-header is unknown"
        case .misplacedPseudoHeader: "a pseudo-header follows a regular header field"
        case .repeatedPseudoHeader: "a pseudo-header is repeated"
        case .pseudoHeaderOfOtherKind: "a pseudo-header is not allowed in this kind of message"
        case .missingPseudoHeader: "a required pseudo-header is missing"
        }
    }
}
