import SwiftletTransport

/// A request that is HTTP and not gRPC: its body is octets without prefixes, and so is the
/// answer's; the answer's status is HTTP's. Everything else is a call's: connection, deadline,
/// limits, cancellation, interceptors.
package struct PlainExchange: Hashable, Sendable {
    package var contentType: String
    /// What the answer may be.
    package var accept: String

    package init(contentType: String, accept: String) {
        self.contentType = contentType
        self.accept = accept
    }
}

extension PlainExchange {
    func prepared(
        path: String, authority: String, scheme: String, userAgent: String
    ) -> PreparedHeaders {
        var list = HeaderList()
        list.append(":method", "POST")
        list.append(":scheme", scheme)
        list.append(":path", path)
        list.append(":authority", authority)
        list.append("content-type", contentType)
        list.append("accept", accept)
        list.append("user-agent", userAgent)
        return PreparedHeaders(list)
    }

    /// Any answer is one; its headers are told with its content type.
    static func initial(_ list: HeaderList) -> ResponseHead.Initial {
        var metadata = Metadata()
        for field in list.fields {
            let name = list.name(of: field)
            guard !name.hasPrefix(":") else { continue }
            metadata.append(received: .text(list.value(of: field)), for: name)
        }
        return .accepted(
            httpStatus: HeaderRules.status(of: list) ?? 0, encoding: .identity, metadata)
    }
}

/// What a server answered to a plain HTTP request.
public struct HTTPAnswer: Sendable {
    /// HTTP's own: 200 where all is well. An error is an answer like another.
    public var status: Int
    /// Names are in lower case; the pseudo-headers are left out.
    public var headers: Metadata
    /// All of it, as the server sent it: nothing is decompressed.
    public var body: [UInt8]
    /// When what happened.
    public var timeline: CallTimeline?
}

extension Channel {
    /// Posts octets to a path over the channel's HTTP/2 connection, without anything of gRPC, and
    /// returns whatever the server answers, errors of HTTP's included.
    ///
    /// ```swift
    /// let answer = try await channel.post("/rpc", contentType: "application/json", body: body)
    /// ```
    public func post(
        _ path: String, contentType: String, accept: String = "*/*", body: [UInt8],
        _ options: CallOptions = CallOptions()
    ) async throws(RPCError) -> HTTPAnswer {
        guard path.utf8.first == UInt8(ascii: "/"),
            path.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else {
            throw .refused(.invalidArgument, "'\(path)' is no path of HTTP")
        }
        let signature = MethodSignature(
            path: path, shape: .unary, contentSubtype: nil,
            plain: PlainExchange(contentType: contentType, accept: accept))
        var response = await rawUnary(signature, EncodedMessage(prefixing: body), options)
        let octets = try response.takeOctets()
        return HTTPAnswer(
            status: response.end.httpStatus ?? 0, headers: response.initialMetadata ?? Metadata(),
            body: octets,
            timeline: response.end.timeline)
    }
}
