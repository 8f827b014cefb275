import Swiftlet
import SwiftletDynamic
import SwiftletLoopback
import Synchronization

/// Answers the methods of any services from a file.
final class MockService: LoopbackService {
    private typealias Dynamic = Method<DynamicMessage, DynamicMessage>

    let serviceNames: [String]
    private let methods: [Dynamic]
    private let answers: [String: CannedAnswers]
    private let callCounts = Mutex<[String: Int]>([:])

    /// - Parameters:
    ///   - schema: The services. Methods without answers are UNIMPLEMENTED.
    ///   - answers: The answers by the paths of methods.
    init(schema: Schema, answers: [String: CannedAnswers]) throws {
        serviceNames = schema.services.map(\.fullName)
        methods = try schema.services.flatMap(\.methods).map { try $0.dynamic() }
        self.answers = answers
    }

    /// Registers all methods. A service that the server has already, such as health, keeps its own methods
    /// where there are no answers.
    func register(in server: inout ServerMethods) {
        let others = Set(server.serviceNames)
        for method in methods {
            let service = method.path.dropFirst().prefix { $0 != "/" }
            guard answers[method.path] != nil || !others.contains(String(service)) else { continue }
            register(method, in: &server)
        }
    }

    private func register(_ method: Dynamic, in server: inout ServerMethods) {
        switch method.shape {
        case .unary:
            server.unary(method) { request, context in
                try await self.onlyReply(to: request, method, context)
            }
        case .clientStreaming:
            server.clientStreaming(method) { requests, context in
                var iterator = requests.makeAsyncIterator()
                let first = try await iterator.next()
                while try await iterator.next() != nil {}
                return try await self.onlyReply(to: first, method, context)
            }
        case .serverStreaming:
            server.serverStreaming(method) { request, replies, context in
                let answer = try self.start(request, method, context)
                for reply in answer.replies {
                    try await Self.pause(answer, context)
                    try await replies.write(reply)
                }
                try await Self.end(answer, context)
            }
        case .bidirectional:
            server.bidirectional(method) { requests, replies, context in
                try await self.converse(requests, replies, method, context)
            }
        }
    }
}

// MARK: - Answering

extension MockService {
    private func onlyReply(
        to request: DynamicMessage?, _ method: Dynamic, _ context: ServerContext
    ) async throws -> DynamicMessage {
        let answer = try start(request, method, context)
        guard let reply = answer.replies.first else {
            try await Self.end(answer, context)
            throw RPCError(.internal, "the answer has neither a reply nor a status")
        }
        try await Self.pause(answer, context)
        return reply
    }

    /// Sends one reply after each request, and the remaining replies after the last request.
    private func converse(
        _ requests: RequestStream<DynamicMessage>, _ replies: ReplyWriter<DynamicMessage>,
        _ method: Dynamic, _ context: ServerContext
    ) async throws {
        var iterator = requests.makeAsyncIterator()
        var request = try await iterator.next()
        let answer = try start(request, method, context)
        for reply in answer.replies {
            try await Self.pause(answer, context)
            try await replies.write(reply)
            if request != nil { request = try await iterator.next() }
        }
        while request != nil { request = try await iterator.next() }
        try await Self.end(answer, context)
    }

    /// Chooses the answer to a call, sends its initial metadata, and sets its trailing metadata.
    private func start(
        _ request: DynamicMessage?, _ method: Dynamic, _ context: ServerContext
    ) throws -> CannedAnswer {
        guard let answers = answers[method.path] else {
            throw RPCError(.unimplemented, "the answers have none for \(method.path)")
        }
        let number = callCounts.withLock { counts in
            defer { counts[method.path, default: 0] += 1 }
            return counts[method.path, default: 0]
        }
        guard let index = answers.index(for: request, callNumber: number) else {
            throw RPCError(
                .unimplemented, "no answer for \(method.path) has a 'when' that fits the request")
        }
        let answer = answers.answers[index]
        context.setTrailingMetadata(answer.trailingMetadata)
        if !answer.initialMetadata.isEmpty { context.sendInitialMetadata(answer.initialMetadata) }
        return answer
    }

    private static func pause(_ answer: CannedAnswer, _ context: ServerContext) async throws {
        if answer.delay > .zero { try await context.sleep(for: answer.delay) }
    }

    private static func end(_ answer: CannedAnswer, _ context: ServerContext) async throws {
        guard let error = answer.error else { return }
        try await pause(answer, context)
        throw error
    }
}
