import SwiftletCore
import SwiftletTransport

/// What the headers of a request say.
struct RequestInfo: Sendable {
    var path = ""
    var metadata = Metadata()
    var timeout: Duration?
    var encoding = CompressionAlgorithm.identity
    /// What answers may be compressed with.
    var acceptedEncodings: [CompressionAlgorithm] = []
    var isGRPC = false

    init(_ list: HeaderList) {
        for field in list.fields {
            let name = list.name(of: field)
            let value = list.value(of: field)
            switch name {
            case ":path": path = value
            case "content-type":
                isGRPC = ResponseHead.isGRPC(contentType: value)
                if !isGRPC { metadata.append(received: .text(value), for: name) }
            case "grpc-timeout": timeout = GRPCTimeout.decode(value)
            case "grpc-encoding": encoding = CompressionAlgorithm(name: value)
            case "grpc-accept-encoding": acceptedEncodings = Self.algorithms(value)
            case _ where name.hasPrefix(":") || name == "te": break
            case _ where name.hasSuffix("-bin"):
                metadata.append(receivedBinary: value.utf8, for: name)
            default:
                metadata.append(received: .text(value), for: name)
            }
        }
    }

    /// The names of a list with commas. Ours and most clients' is the same in every request.
    private static func algorithms(_ list: String) -> [CompressionAlgorithm] {
        if list == CompressionAlgorithm.accepted { return CompressionAlgorithm.supported }
        return list.split(separator: ",").map { name in
            CompressionAlgorithm(name: String(name.filter { $0 != " " }))
        }
    }
}
