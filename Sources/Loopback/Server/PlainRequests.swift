public import SwiftletCore
import SwiftletTransport
import Synchronization

/// A request that is HTTP and not gRPC, whole.
public struct HTTPRequest: Sendable {
    public var path: String
    public var headers: Metadata
    public var body: [UInt8]
}

/// What a server answers to it.
public struct HTTPReply: Sendable {
    public var status: Int
    public var contentType: String
    public var body: [UInt8]

    public init(status: Int = 200, contentType: String, body: [UInt8]) {
        self.status = status
        self.contentType = contentType
        self.body = body
    }
}

extension ServerMethods {
    /// Answers what is posted to a path and is not gRPC.
    ///
    /// ```swift
    /// server.http("/rpc") { request in
    ///     HTTPReply(contentType: "application/json", body: Array("{}".utf8))
    /// }
    /// ```
    public mutating func http(
        _ path: String, _ handle: @escaping @Sendable (HTTPRequest) async -> HTTPReply
    ) {
        plainHandlers[path] = { call in
            call.run { call in
                let body: [UInt8]
                do throws(RPCError) {
                    body = try await call.plainBody()
                } catch {
                    // For a client that went away it makes no difference.
                    return call.finish(
                        HTTPReply(
                            status: error.code == .resourceExhausted ? 413 : 400,
                            contentType: "text/plain", body: Array(error.message.utf8)))
                }
                let reply = await handle(
                    HTTPRequest(
                        path: call.request.path, headers: call.request.metadata, body: body))
                call.finish(reply)
            }
        }
    }
}

extension ServerCall {
    /// The body of a request that is not gRPC.
    fileprivate func plainBody() async throws(RPCError) -> [UInt8] {
        // It has no messages, so the wait is for its end.
        _ = try await next()
        return state.withLock { $0.plainBody }
    }

    func finish(_ reply: HTTPReply) {
        var list = HeaderList()
        list.append(":status", "\(reply.status)")
        list.append("content-type", reply.contentType)
        let (isFirst, timer) = state.withLock { state in
            defer { state.isFinished = true }
            return (!state.isFinished, state.deadlineTimer.take())
        }
        guard isFirst else { return }
        if let timer { session.loop.cancel(timer) }
        session.state.withLock { session in
            _ = session.connection.sendHeaders(
                PreparedHeaders(list), HeaderList(), on: stream, endStream: reply.body.isEmpty)
            if !reply.body.isEmpty {
                _ = session.connection.sendData(reply.body, on: stream, endStream: true)
            }
            session.forget(self)
        }
        session.flushSoon()
    }
}
