public import SwiftletCore
import SwiftletTransport
import Synchronization

/// A complete HTTP request that is not gRPC.
public struct HTTPRequest: Sendable {
    /// The method, such as `GET`.
    public var method: HTTPMethod
    /// The path with the query, as the client sent it.
    public var path: String
    public var headers: Metadata
    public var body: [UInt8]
}

/// The answer to an ``HTTPRequest``.
public struct HTTPReply: Sendable {
    public var status: Int
    public var contentType: String
    /// Fields in addition to the content type.
    public var headers: Metadata
    public var body: [UInt8]

    /// - Parameters:
    ///   - status: The status; 200 by default.
    ///   - contentType: The type of the body.
    ///   - headers: Fields in addition to the content type; none by default.
    ///   - body: The body. It is not sent in answer to HEAD.
    public init(
        status: Int = 200, contentType: String, headers: Metadata = Metadata(), body: [UInt8]
    ) {
        self.status = status
        self.contentType = contentType
        self.headers = headers
        self.body = body
    }
}

extension HTTPReply {
    /// The server's own answer to a request that no handler receives.
    static func refusal(_ status: Int, _ reason: String) -> HTTPReply {
        HTTPReply(status: status, contentType: "text/plain", body: Array(reason.utf8))
    }

    /// The fields of the head.
    var head: HeaderList {
        var list = HeaderList()
        list.append(":status", "\(status)")
        list.append("content-type", contentType)
        for element in headers { list.append(element) }
        return list
    }
}

/// Answers an HTTP request that is not gRPC.
typealias PlainHandler = @Sendable (HTTPRequest) async -> HTTPReply

extension ServerMethods {
    /// Registers the handler of a path for HTTP requests that are not gRPC. It handles every HTTP method and
    /// every query. A server with such a handler answers in HTTP/1.1 and in HTTP/2.
    ///
    /// ```swift
    /// server.http("/rpc") { request in
    ///     HTTPReply(contentType: "application/json", body: Array("{}".utf8))
    /// }
    /// ```
    public mutating func http(
        _ path: String, _ handle: @escaping @Sendable (HTTPRequest) async -> HTTPReply
    ) {
        plainHandlers[path] = handle
    }

    /// Whether connections may use HTTP/1.1.
    var answersHTTP1: Bool { !plainHandlers.isEmpty && httpVersion != .http2 }

    /// The application protocols that the server offers over TLS (ALPN).
    var applicationProtocols: [String] {
        guard answersHTTP1 else { return ["h2"] }
        return httpVersion == .http1 ? ["http/1.1"] : ["h2", "http/1.1"]
    }

    /// The handler for a path. The query is ignored.
    func plainHandler(for path: String) -> PlainHandler? { plainHandlers[withoutQuery(path)] }

    func withoutQuery(_ path: String) -> String {
        String(path[..<(path.utf8.firstIndex(of: UInt8(ascii: "?")) ?? path.endIndex)])
    }
}

extension ServerCall {
    func answer(by handle: @escaping PlainHandler) {
        run { call in
            let body: [UInt8]
            do throws(RPCError) {
                body = try await call.plainBody()
            } catch {
                // A client that has cancelled does not receive it.
                return call.finish(
                    .refusal(error.code == .resourceExhausted ? 413 : 400, error.message))
            }
            let request = call.request
            call.finish(
                await handle(
                    HTTPRequest(
                        method: HTTPMethod(rawValue: request.method), path: request.path,
                        headers: request.metadata, body: body)))
        }
    }

    /// The body of a request that is not gRPC.
    fileprivate func plainBody() async throws(RPCError) -> [UInt8] {
        // A plain request has no messages, so this waits for its end.
        _ = try await next()
        return state.withLock { $0.plainBody }
    }

    /// Answers a request that is not gRPC with the HTTP status 415 (PROTOCOL-HTTP2, "Requests"). The answer
    /// waits for the end of the request, so that a violation of HTTP/2 in the request is reported first.
    func refuseAsNotGRPC() {
        run { call in
            // A request whose body cannot be read gets the same answer.
            _ = try? await call.plainBody()
            call.finish(.refusal(415, "the request is not gRPC"))
        }
    }

    func finish(_ reply: HTTPReply) {
        let hasContent = !reply.body.isEmpty && request.method != "HEAD"
        let isFirst = state.withLock { state in
            defer { state.isFinished = true }
            return !state.isFinished
        }
        guard isFirst else { return }
        deadlineTimer.close()
        session.state.withLock { session in
            _ = session.connection.sendHeaders(
                PreparedHeaders(reply.head), HeaderList(), on: stream, endStream: !hasContent)
            if hasContent {
                _ = session.connection.sendData(reply.body, on: stream, endStream: true)
            }
            session.forget(self)
        }
        session.flushSoon()
    }
}
