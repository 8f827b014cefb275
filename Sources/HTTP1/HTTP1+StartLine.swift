import SwiftletTransport

extension HTTP1 {
    /// The minor version: 1 or 0. A peer with version 0 closes the connection after the response,
    /// unless its message has `connection: keep-alive` (RFC 9112 §9.3).
    typealias MinorVersion = UInt8

    /// Reads the first line of a message.
    enum StartLine {
        /// `GET /path HTTP/1.1` (RFC 9112 §3).
        struct Request: Hashable {
            var method: String
            var path: String
            /// The scheme and the authority of a target in absolute form. The authority replaces
            /// the field `host` (§3.2.2).
            var scheme: String?
            var authority: String?
            var version: MinorVersion
        }

        /// `HTTP/1.1 200 OK` (RFC 9112 §4). The reason has no meaning.
        struct Response: Hashable {
            var status: Int
            var version: MinorVersion
        }

        static func request(_ line: [UInt8]) throws(HTTP1Error) -> Request {
            let parts = line.split(separator: 0x20, omittingEmptySubsequences: false)
            guard parts.count == 3, !parts[0].isEmpty, parts[0].allSatisfy(FieldLine.isToken) else {
                throw HTTP1Error("the request line is not 'METHOD target HTTP/1.1'")
            }
            let version = try version(Array(parts[2]))
            let method = String(decoding: parts[0], as: UTF8.self)
            guard method != Method.connect else {
                throw HTTP1Error("CONNECT is not supported", status: 501)
            }
            guard parts[1].allSatisfy({ (0x21...0x7e).contains($0) }) else {
                throw HTTP1Error("the request target has a byte that is not allowed")
            }
            let target = String(decoding: parts[1], as: UTF8.self)
            var request = Request(method: method, path: target, version: version)
            if target.utf8.first == UInt8(ascii: "/") { return request }
            if target == "*", method == "OPTIONS" { return request }
            for scheme in ["http", "https"] where target.asciiLowercased.hasPrefix(scheme + "://") {
                let rest = target.utf8.dropFirst(scheme.utf8.count + 3)
                let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
                let path = String(decoding: rest.dropFirst(authority.count), as: UTF8.self)
                guard !authority.isEmpty else { break }
                request.scheme = scheme
                request.authority = String(decoding: authority, as: UTF8.self)
                request.path = path.utf8.first == UInt8(ascii: "/") ? path : "/" + path
                return request
            }
            throw HTTP1Error("the request target is neither a path nor a URL")
        }

        static func response(_ line: [UInt8]) throws(HTTP1Error) -> Response {
            // A server that sends no reason may omit the space after the status code.
            guard line.count >= 12, line[8] == 0x20, line.count == 12 || line[12] == 0x20,
                let status = HeaderRules.status(line.contiguous.span.extracting(9..<12)),
                status < 600,
                FieldLine.isLegal(line.contiguous.span.extracting(12..<line.count))
            else {
                throw HTTP1Error(
                    "the response begins with '\(PeerText.clean(line, upTo: 40))', "
                        + "which is not a status line of HTTP/1.1")
            }
            return Response(status: status, version: try version(Array(line[..<8])))
        }

        private static func version(_ bytes: [UInt8]) throws(HTTP1Error) -> MinorVersion {
            switch bytes {
            case Array("HTTP/1.1".utf8): return 1
            case Array("HTTP/1.0".utf8): return 0
            default:
                let text = PeerText.clean(bytes, upTo: 16)
                throw HTTP1Error(
                    "the version is '\(text)' (expected HTTP/1.1 or HTTP/1.0)", status: 505)
            }
        }
    }
}
