import SwiftletCore
import SwiftletTransport

/// What the headers of a request say.
struct RequestInfo: Sendable {
    var path = ""
    var metadata = Metadata()
    var timeout: Duration?
    var encoding = CompressionAlgorithm.identity
    var isGRPC = false

    init(_ list: HeaderList) {
        for field in list.fields {
            let name = list.name(of: field)
            let value = list.value(of: field)
            switch name {
            case ":path": path = value
            case "content-type": isGRPC = value.hasPrefix("application/grpc")
            case "grpc-timeout": timeout = GRPCTimeout.decode(value)
            case "grpc-encoding": encoding = CompressionAlgorithm(name: value)
            case _ where name.hasPrefix(":") || name == "te" || name == "grpc-accept-encoding":
                break
            case _ where name.hasSuffix("-bin"):
                for part in value.utf8.split(separator: UInt8(ascii: ",")) {
                    metadata.append(received: .bytes(Base64.decode(part) ?? []), for: name)
                }
            default:
                metadata.append(received: .text(value), for: name)
            }
        }
    }
}
