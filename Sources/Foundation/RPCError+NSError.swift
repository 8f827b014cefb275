public import Foundation
public import SwiftletCore

/// A message for people: that of the server or of the library on one line, or the name of the code.
extension RPCError: LocalizedError {
    public var errorDescription: String? {
        message.isEmpty ? "\(code)" : RPCError.shown(message)
    }

    /// The causes; nil if there are none.
    public var failureReason: String? {
        causes.isEmpty ? nil : RPCError.shown(causes.joined(separator: "; "))
    }
}

/// The error as an `NSError`, with the domain, the codes and the keys of gRPC's library for Objective-C.
extension RPCError: CustomNSError {
    /// `io.grpc`
    public static var errorDomain: String { "io.grpc" }

    /// The status code, such as 5 for NOT_FOUND.
    public var errorCode: Int { code.rawValue }

    /// The key of the initial metadata: a dictionary whose values are `String` or, for names that end in `-bin`, `Data`.
    /// Texts of a name that repeats are joined by commas; of bytes, the last ones stay. Absent if the server sent none.
    /// Headers whose values descriptions hide are left out, because whatever prints or reports an `NSError` prints its
    /// dictionary; `initialMetadata` has them.
    public static let headersKey = "io.grpc.HeadersKey"

    /// The key of the trailing metadata, in the form of ``headersKey``. Always present.
    public static let trailersKey = "io.grpc.TrailersKey"

    /// The message, the causes, the headers and trailers, and the whole error on one line for a debugger.
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [
            NSLocalizedDescriptionKey: errorDescription ?? "\(code)",
            "NSDebugDescription": "\(self)",
            Self.trailersKey: metadata.shownDictionary,
        ]
        if let failureReason { info[NSLocalizedFailureReasonErrorKey] = failureReason }
        if !initialMetadata.isEmpty { info[Self.headersKey] = initialMetadata.shownDictionary }
        return info
    }
}

extension Metadata {
    /// Without the headers whose values descriptions hide.
    fileprivate var shownDictionary: [String: Any] {
        var texts: [String: [String]] = [:]
        var values: [String: Any] = [:]
        for element in self where !MetadataRules.isHidden(element.name) {
            switch element.value {
            case .text(let text): texts[element.name, default: []].append(text)
            case .bytes(let bytes): values[element.name] = Data(bytes)
            }
        }
        for (name, parts) in texts { values[name] = parts.joined(separator: ", ") }
        return values
    }
}
