import SwiftletTransport

// The pseudo-header fields and the framing of a message, from its complete head.

extension HTTP1 {
    /// The events of a connection.
    package enum Event: Hashable, Sendable {
        /// A request or a final response has begun.
        case head
        /// Content of the body: a range of the bytes that were passed in.
        case body(Range<Int>)
        /// The message is complete.
        case end
    }

    /// The head of a request with the pseudo-header fields of HTTP/2.
    static func head(
        of request: StartLine.Request, _ fields: HeaderList, _ connection: ConnectionFields
    ) throws(HTTP1Error) -> HeaderList {
        // RFC 9112 §3.2: a request of HTTP/1.1 without a host is refused.
        guard connection.host != nil || request.version == 0 else {
            throw HTTP1Error("the request has no host")
        }
        let authority = request.authority ?? connection.host ?? ""
        guard isAuthority(authority) else {
            throw HTTP1Error("not a host: '\(PeerText.clean(authority, upTo: 80))'")
        }
        var list = HeaderList()
        list.append(":method", request.method)
        list.append(":scheme", request.scheme ?? "http")
        list.append(":path", request.path)
        if !authority.isEmpty { list.append(":authority", authority) }
        list.append(contentsOf: fields)
        return list
    }

    static func head(of response: StartLine.Response, _ fields: HeaderList) -> HeaderList {
        var list = HeaderList()
        list.append(":status", "\(response.status)")
        list.append(contentsOf: fields)
        return list
    }

    /// Whether the text is printable ASCII and contains no character that ends or splits an
    /// authority.
    private static func isAuthority(_ text: String) -> Bool {
        let special = "/?#@\\,".utf8
        return text.utf8.allSatisfy { (0x21...0x7e).contains($0) && !special.contains($0) }
    }

    /// How the body of a request ends (RFC 9112 §6.3).
    static func requestFraming(
        _ connection: ConnectionFields, version: MinorVersion
    ) throws(HTTP1Error) -> BodyFraming {
        if try isChunked(connection, version: version) { return .chunked }
        return connection.contentLength.map { .sized($0) } ?? .none
    }

    /// How the body of a final response ends (RFC 9112 §6.3).
    static func responseFraming(
        _ connection: ConnectionFields, _ response: StartLine.Response, answering method: String
    ) throws(HTTP1Error) -> BodyFraming {
        // Checked for responses without a body, too: illegal framing fields are always an error.
        let isChunked = try isChunked(connection, version: response.version)
        if method == Method.head || response.status == 204 || response.status == 304 {
            return .none
        }
        if isChunked { return .chunked }
        return connection.contentLength.map { .sized($0) } ?? .untilClose
    }

    /// Whether the body is chunked. Throws for a message with both framings, or with a coding other
    /// than `chunked`. RFC 9112 §6.1 allows this, because two implementations may disagree about
    /// the end of such a message.
    private static func isChunked(
        _ connection: ConnectionFields, version: MinorVersion
    ) throws(HTTP1Error) -> Bool {
        guard let coding = connection.transferEncoding else { return false }
        guard version == 1 else {
            throw HTTP1Error("a message of HTTP/1.0 has a transfer-encoding")
        }
        guard connection.contentLength == nil else {
            throw HTTP1Error("the message has both a transfer-encoding and a content-length")
        }
        guard coding.contiguous.span.equals(ignoringCase: "chunked") else {
            throw HTTP1Error(
                "the transfer-encoding '\(PeerText.clean(coding, upTo: 40))' is not supported",
                status: 501)
        }
        return true
    }
}
