import Swiftlet
import SwiftletDynamic
import SwiftletLoopback
import Synchronization

/// Runs the texts that are entered in the interactive mode.
final class ReplSession: Sendable {
    private struct State {
        var lastAnswer = LastAnswer()
        var headers = Metadata()
    }

    let schema: Schema
    private let channel: Channel
    private let reflection: ServerReflection?
    private let log: CallLog
    private let expandsHeaders: Bool
    private let state = Mutex(State())

    /// - Parameters:
    ///   - schema: The services of the server.
    ///   - channel: The channel to the server.
    ///   - reflection: The reflection by which types of status details are looked up; nil for a
    ///     schema of files.
    ///   - log: Prints the metadata of calls.
    ///   - expandsHeaders: Whether `${NAME}` in headers is replaced.
    init(
        schema: Schema, channel: Channel, reflection: ServerReflection?, log: CallLog,
        expandsHeaders: Bool = false
    ) {
        self.expandsHeaders = expandsHeaders
        self.schema = schema
        self.channel = channel
        self.reflection = reflection
        self.log = log
    }

    /// Runs an entered text, and prints its output. Returns its error.
    func run(_ input: ReplInput) async -> (any Error)? {
        await failure { try await perform(input) }
    }

    /// Calls a method whose requests are typed while the call runs. Returns the error of the call.
    ///
    /// - Parameters:
    ///   - conversation: The call.
    ///   - requests: The requests, as ``requests(_:in:)`` returns them.
    ///   - write: Prints a response.
    func run(
        _ conversation: ReplConversation, _ requests: AsyncStream<[UInt8]>,
        write: @escaping @Sendable ([UInt8]) throws -> Void
    ) async -> (any Error)? {
        await failure {
            var format = MessageFormat(name: .json)
            // The requests were checked when they were typed.
            format.ignoresUnknownFields = true
            try await call(
                conversation.method, RequestInput([.typed(requests)]), format, write: write)
        }
    }

    private func failure(of body: () async throws -> Void) async -> (any Error)? {
        defer { flushOutput() }
        do {
            try await body()
            return nil
        } catch {
            return error
        }
    }

    /// Prints an error.
    func report(_ error: any Error) {
        switch error {
        case let failure as DetailedFailure:
            printToStandardError(Main.text(of: failure.error))
            if !failure.details.isEmpty { printToStandardError(failure.details) }
        case let error as UsageError: printToStandardError(error.message)
        case let error as RPCError: printToStandardError(Main.text(of: error))
        default: printToStandardError("\(error)")
        }
    }

    private func perform(_ input: ReplInput) async throws {
        switch input {
        case .empty, .exit, .conversation: break
        case .help: print(ReplInput.helpText)
        case .list(let service): try list(service)
        case .describe(let symbol): try describe(symbol)
        case .template(let name): try template(name)
        case .header(let header): try self.header(header)
        case .call(let name, let requests): try await call(name, requests)
        }
    }
}

// MARK: - Looking up

extension ReplSession {
    private func list(_ name: String?) throws {
        guard let name else {
            for service in schema.services { printText(service.fullName) }
            return
        }
        let service = try schema.service(orNearest: name)
        for method in service.methods { printText("\(name)/\(method.name)") }
    }

    private func describe(_ name: String?) throws {
        let symbols = try name.map { [try symbol($0)] } ?? schema.services.map { .service($0) }
        printText(try ProtoText.text(of: symbols, in: schema), terminator: "")
    }

    private func template(_ name: String) throws {
        guard let message = try symbol(name).templateMessage else {
            throw LookupError(description: "'\(name)' is neither a message nor a method")
        }
        printText(JSONTemplate.text(for: message))
    }

    /// The declaration with a full name, or the method with a short name.
    private func symbol(_ name: String) throws -> SchemaSymbol {
        if let method = try? schema.method(named: name) { return .method(method) }
        return try SchemaSymbol(name, in: schema)
    }

    private func header(_ header: String?) throws {
        guard let header else {
            for element in state.withLock(\.headers) { print(element) }
            return
        }
        let lines = try HeaderOption.lines([header], expands: expandsHeaders)
        let added = try HeaderOption.metadata(lines)
        state.withLock { state in
            for element in added { state.headers.removeAll(element.name) }
            state.headers.append(contentsOf: added)
        }
    }
}

// MARK: - Calls

extension ReplSession {
    private func call(_ name: String, _ requests: String) async throws {
        let method = try schema.method(named: name)
        let (json, format) = try substituted(requests)
        try await call(method, RequestInput([.bytes(Array(json.utf8))]), format) {
            try writeToStandardOutput($0)
        }
    }

    private func call(
        _ method: MethodSchema, _ input: RequestInput, _ format: MessageFormat,
        write: @escaping @Sendable ([UInt8]) throws -> Void
    ) async throws {
        var call = DynamicCall(method: method, format: format, log: log)
        call.options.metadata = state.withLock(\.headers)
        call.write = write
        call.observe = { [self] answer in
            // If an answer has no JSON, it cannot be printed either, and ends the call.
            guard let json = try? answer.jsonBytes() else { return }
            state.withLock { $0.lastAnswer.json = json }
        }
        do {
            try await call.run(on: channel, input)
        } catch let error as RPCError {
            let details = StatusDetails(schema: schema, reflection: reflection)
            throw DetailedFailure(error: error, details: await details.text(of: error))
        }
    }

    /// The requests with each `$` replaced, and the format in which they are read.
    private func substituted(_ requests: String) throws -> (json: String, MessageFormat) {
        let json = try state.withLock(\.lastAnswer).substituted(in: requests)
        var format = MessageFormat(name: .json)
        // If a `$` was replaced, the parts of the last answer may have fields that the request does
        // not have.
        format.ignoresUnknownFields = json != requests
        return (json, format)
    }

    /// The conversation with a method. Throws if there is none of that name, or if it takes one request.
    func conversation(_ name: String) throws -> ReplConversation {
        let method = try schema.method(named: name)
        guard method.streamsRequests else {
            throw LookupError(
                description: "'\(name)' takes one request; type it after the method")
        }
        return ReplConversation(method: method)
    }

    /// The bytes of the requests in a typed text. Throws if they are not requests of the method.
    func requests(_ text: String, in conversation: ReplConversation) throws -> [UInt8] {
        let (json, format) = try substituted(text)
        let type = conversation.method.input
        do {
            var splitter = MessageSplitter(format, isStream: true)
            splitter.append(Array(json.utf8))
            while let message = try splitter.next() ?? splitter.finish() {
                _ = try format.input(message, as: type)
            }
        } catch {
            throw UsageError(message: "\(type.fullName): \(error)", isAboutUsage: false)
        }
        return Array(json.utf8) + format.separator
    }
}

/// A call whose requests are typed while it runs.
struct ReplConversation {
    let method: MethodSchema

    var prompt: String { "\(method.name)> " }
}
