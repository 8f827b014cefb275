/// The version of HTTP that the connections of a channel use.
///
/// gRPC calls need HTTP/2. Plain HTTP requests, and JSON-RPC over them, work with both versions.
@nonexhaustive
public enum HTTPVersion: Hashable, Sendable {
    /// HTTP/2 only: selected by ALPN with TLS, and used with prior knowledge without TLS (RFC 9113
    /// §3.3).
    case http2
    /// HTTP/1.1 only. A connection carries one request at a time, so the number of connections
    /// limits the number of running requests.
    case http1
    /// With TLS, the server selects the version by ALPN; HTTP/1.1 is used if it selects none.
    /// Without TLS, HTTP/1.1 is used.
    case negotiated
}

/// The method of an HTTP request, such as `GET`. Any token is allowed except `CONNECT`.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable {
    public var rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
}

extension HTTPMethod {
    public static let get = HTTPMethod(rawValue: "GET")
    public static let head = HTTPMethod(rawValue: "HEAD")
    public static let post = HTTPMethod(rawValue: "POST")
    public static let put = HTTPMethod(rawValue: "PUT")
    public static let patch = HTTPMethod(rawValue: "PATCH")
    public static let delete = HTTPMethod(rawValue: "DELETE")
    public static let options = HTTPMethod(rawValue: "OPTIONS")
}

extension HTTPMethod: ExpressibleByStringLiteral, CustomStringConvertible {
    public init(stringLiteral value: String) { rawValue = value }
    public var description: String { rawValue }
}
