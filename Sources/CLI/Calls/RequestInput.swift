import SwiftletDynamic

/// The source of the bytes of the requests.
enum RequestInput: Sendable {
    case none
    case bytes([UInt8])
    case standardInput(InputReader)

    /// - Parameter option: The value of `-d`: messages, `@FILE`, or `@` for the standard input.
    init(_ option: String?) throws {
        switch option {
        case nil: self = .none
        case "@", "@-": self = .standardInput(InputReader(descriptor: 0))
        case let text? where text.hasPrefix("@"):
            self = .bytes(try Arguments.contents(of: String(text.dropFirst())))
        case let text?: self = .bytes(Array(text.utf8))
        }
    }
}

/// The requests of a call, in order.
struct RequestMessages: Sendable {
    private var input: RequestInput
    private var splitter: MessageSplitter
    private let schema: MessageSchema
    private let format: MessageFormat
    private var count = 0
    private var isAtEnd = false

    init(_ input: RequestInput, as schema: MessageSchema, _ format: MessageFormat, isStream: Bool) {
        self.input = input
        self.schema = schema
        self.format = format
        splitter = MessageSplitter(format, isStream: isStream)
    }

    /// Returns the next message; nil at the end of the input. Throws a usage error for input that
    /// is not a message of the type.
    mutating func next() async throws -> DynamicMessage? {
        do {
            guard let bytes = try await nextBytes() else { return nil }
            let message = try format.input(bytes, as: schema)
            count += 1
            return message
        } catch let error where !(error is CancellationError) {
            throw UsageError(
                message: "request \(count + 1), \(schema.fullName): \(error)", isAboutUsage: false)
        }
    }

    /// Returns the only message. It is empty if there is no input.
    mutating func only() async throws -> DynamicMessage {
        guard let message = try await next() else { return DynamicMessage(schema) }
        guard try await next() == nil else {
            throw UsageError(
                message: "the method takes one request, and the input has more",
                isAboutUsage: false)
        }
        return message
    }

    private mutating func nextBytes() async throws -> [UInt8]? {
        while !isAtEnd {
            if let message = try splitter.next() { return message }
            let bytes = try await nextChunk()
            guard !bytes.isEmpty else {
                isAtEnd = true
                return try splitter.finish()
            }
            splitter.append(bytes)
        }
        return nil
    }

    /// Returns the next bytes of the input; empty at the end.
    private mutating func nextChunk() async throws -> [UInt8] {
        switch input {
        case .none: return []
        case .bytes(let bytes):
            input = .none
            return bytes
        case .standardInput(let reader): return try await reader.next()
        }
    }
}
