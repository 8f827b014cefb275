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
                guard let body = await call.plainBody() else { return }
                let reply = await handle(
                    HTTPRequest(
                        path: call.request.path, headers: call.request.metadata, body: body))
                call.finish(reply)
            }
        }
    }
}

extension ServerCall {
    /// The body of a request that is not gRPC; nil when the client went away before its end.
    fileprivate func plainBody() async -> [UInt8]? {
        // It has no messages, so the wait is for its end.
        do throws(RPCError) {
            _ = try await next()
        } catch {
            return nil
        }
        return state.withLock { $0.plainBody }
    }

    fileprivate func finish(_ reply: HTTPReply) {
        var list = HeaderList()
        list.append(":status", "\(reply.status)")
        list.append("content-type", reply.contentType)
        let isFirst = state.withLock { state in
            defer { state.isFinished = true }
            return !state.isFinished
        }
        guard isFirst else { return }
        session.state.withLock { session in
            _ = session.connection.sendHeaders(
                PreparedHeaders(list), HeaderList(), on: stream, endStream: reply.body.isEmpty)
            if !reply.body.isEmpty {
                _ = session.connection.sendData(reply.body, on: stream, endStream: true)
            }
            let slot = Int(stream.slot)
            if slot < session.calls.count, session.calls[slot] === self {
                session.calls[slot] = nil
            }
        }
        session.flushSoon()
    }
}
