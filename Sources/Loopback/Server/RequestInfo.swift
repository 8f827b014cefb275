import SwiftletCore
import SwiftletTransport

/// The decoded headers of a request.
struct RequestInfo: Sendable {
    var method = ""
    var path = ""
    var authority = ""
    var scheme = ""
    var metadata = Metadata()
    var timeout: Duration?
    var encoding = CompressionAlgorithm.identity
    /// The algorithms that the client accepts in answers.
    var acceptedEncodings: [CompressionAlgorithm] = []
    var isGRPC = false
    /// The rule of ``RequestRules`` that the headers break.
    var violation: String?

    /// - Parameters:
    ///   - list: The headers.
    ///   - endStream: Whether the headers have END_STREAM.
    ///   - isStrict: Whether a gRPC request is checked against ``RequestRules``.
    init(_ list: HeaderList, endStream: Bool, isStrict: Bool) {
        for field in list.fields {
            let name = list.name(of: field)
            let value = list.value(of: field)
            // The names are ASCII.
            switch name {
            case ":path": path = WireText.bounded(value)
            case ":authority": authority = WireText.bounded(value)
            case ":scheme": scheme = WireText.bounded(value)
            case ":method": method = WireText.bounded(value)
            case "content-type":
                isGRPC = ResponseHead.isGRPC(contentType: value)
                if !isGRPC { metadata.append(received: .text(value), for: name) }
            case "grpc-timeout": timeout = Duration(grpcTimeout: value)
            case "grpc-encoding": encoding = CompressionAlgorithm(name: WireText.bounded(value))
            case "grpc-accept-encoding":
                acceptedEncodings = Self.algorithms(WireText.bounded(value))
            case _ where name.hasPrefix(":") || name == "te": break
            case _ where name.hasSuffix("-bin"):
                metadata.append(receivedBinary: value.utf8, for: name)
            default:
                metadata.append(received: .text(value), for: name)
            }
        }
        if isStrict, isGRPC { violation = RequestRules.violation(in: list, endStream: endStream) }
    }

    /// Splits a list at its commas. The value that this library sends is the same in every request, and is
    /// not split.
    private static func algorithms(_ list: String) -> [CompressionAlgorithm] {
        if list == CompressionAlgorithm.accepted { return CompressionAlgorithm.supported }
        return list.split(separator: ",").map { name in
            CompressionAlgorithm(name: String(name.filter { $0 != " " }))
        }
    }
}
