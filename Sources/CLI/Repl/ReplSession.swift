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

    /// Runs an entered text, and prints its output or its error. Returns the exit status of a command that ends in
    /// the same way.
    func run(_ input: ReplInput) async -> Int32 {
        defer { flushOutput() }
        do {
            try await perform(input)
            return 0
        } catch {
            report(error)
            return ExitStatus.of(error)
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
        case .empty, .exit: break
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
        let (last, headers) = state.withLock { ($0.lastAnswer, $0.headers) }
        let json = try last.substituted(in: requests)
        var format = MessageFormat(name: .json)
        // If a `$` was replaced, the parts of the last answer may have fields that the request does
        // not have.
        format.ignoresUnknownFields = json != requests
        var call = DynamicCall(method: method, format: format, log: log)
        call.options.metadata = headers
        call.observe = { [self] answer in
            // If an answer has no JSON, it cannot be printed either, and ends the call.
            guard let json = try? answer.jsonBytes() else { return }
            state.withLock { $0.lastAnswer.json = json }
        }
        do {
            try await call.run(on: channel, RequestInput([.bytes(Array(json.utf8))]))
        } catch let error as RPCError {
            let details = StatusDetails(schema: schema, reflection: reflection)
            throw DetailedFailure(error: error, details: await details.text(of: error))
        }
    }
}
