package import SwiftletTransport

/// A plain HTTP request. The bodies of the request and of the response have no message prefixes.
/// The status is the HTTP status. Connection, deadline, limits, cancellation and interceptors work
/// as for a gRPC call.
package struct PlainExchange: Hashable, Sendable {
    package let method: HTTPMethod
    /// The content type of the request; nil if the request has no content.
    var contentType: String?
    /// The content types that the response may have.
    var accept: String
    /// The identity of the request. It is not sent. If it is nil, a `DuplicateGuard` compares the
    /// bytes of the request.
    package var identity: RequestIdentity?

    package init(
        _ method: HTTPMethod = .post, contentType: String?, accept: String,
        identity: RequestIdentity? = nil
    ) {
        self.identity = identity
        self.method = method
        self.contentType = contentType
        self.accept = accept
    }

    /// Whether the headers of both requests are equal.
    package static func == (left: PlainExchange, right: PlainExchange) -> Bool {
        left.method == right.method && left.contentType == right.contentType
            && left.accept == right.accept
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(method)
        hasher.combine(contentType)
        hasher.combine(accept)
    }
}

extension PlainExchange {
    /// The header fields of the request, without the metadata of the call.
    func head(
        path: String, authority: String, scheme: String, userAgent: String
    ) -> HeaderList {
        var list = HeaderList()
        list.append(":method", method.rawValue)
        list.append(":scheme", scheme)
        list.append(":path", path)
        list.append(":authority", authority)
        if let contentType { list.append("content-type", contentType) }
        list.append("accept", accept)
        list.append("user-agent", userAgent)
        return list
    }

    /// The meaning of a response's headers: every HTTP response is accepted.
    package static func initial(_ list: HeaderList) -> ResponseHead.Initial {
        ResponseHead.Initial(
            httpStatus: HeaderRules.status(of: list) ?? 0, encoding: .identity,
            metadata(of: list))
    }

    /// The fields without the pseudo-header fields.
    package static func metadata(of list: HeaderList) -> Metadata {
        var metadata = Metadata()
        for field in list.fields {
            let name = list.name(of: field)
            guard !name.hasPrefix(":") else { continue }
            metadata.append(received: .text(list.value(of: field)), for: name)
        }
        return metadata
    }
}
