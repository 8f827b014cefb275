import SwiftletTransport

// Hides secrets from `print`, and from `dump`, which shows properties.

extension Metadata {
    /// Hides the values of headers with these names wherever metadata is shown: in descriptions, in the lines of
    /// `CallLog`, and in recordings. The headers are also not sent to a server of another origin than that of
    /// the client (`RPCClient.call(at:)`).
    ///
    /// ```swift
    /// Metadata.hideValues(of: "x-session", "x-signature")
    /// ```
    ///
    /// It applies to the whole process and cannot be undone. Without it, the values of `authorization`, cookies,
    /// names that contain `token`, `secret`, `password`, `credential` or `api-key`, and names that end in `-bin`
    /// and are not gRPC's own, are hidden. Upper and lower case are the same.
    public static func hideValues(of names: String...) {
        MetadataRules.hide(names.map { $0.lowercased() })
    }
}

extension Metadata: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: map { $0 }) }
}

extension Metadata.Element: CustomStringConvertible, CustomReflectable {
    public var description: String { "\(name): \(shownValue)" }

    /// The value on one line, unless it is a secret.
    package var shownValue: String {
        guard !MetadataRules.isHidden(name) else { return "(hidden)" }
        return switch value {
        case .text(let text): PeerText.clean(text)
        case .bytes(let bytes): PeerText.clean(Base64.encode(bytes))
        }
    }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension String {
    /// The URL without the user name and the password before its host, for errors.
    package var withoutLogin: String {
        guard let at = utf8.lastIndex(of: UInt8(ascii: "@")) else { return self }
        var start = utf8.startIndex
        if let colon = utf8.firstIndex(of: UInt8(ascii: ":")),
            utf8[colon...].starts(with: "://".utf8)
        {
            start = utf8.index(colon, offsetBy: 3)
        }
        guard start <= at else { return self }
        return String(self[..<start]) + "(hidden)" + String(self[at...])
    }
}

extension BearerToken.Token: CustomStringConvertible, CustomReflectable {
    public var description: String {
        "(hidden)" + (expiry.map { ", expires \(Deadline.at($0))" } ?? "")
    }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension BearerToken: CustomStringConvertible, CustomReflectable {
    public var description: String { "bearer token (hidden)" }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension TLSOptions.PEM: CustomStringConvertible, CustomReflectable {
    public var description: String {
        switch self {
        case .text: "(text)"
        case .file(let path): path
        }
    }

    public var customMirror: Mirror { Mirror(self, children: []) }
}
