import SwiftletDynamic

/// The sources of the bytes of the requests, in order.
struct RequestInput: Sendable {
    enum Part: Sendable {
        case bytes([UInt8])
        case standardInput(InputReader)
        /// Texts that are typed while the call runs.
        case typed(AsyncStream<[UInt8]>)
    }

    var parts: [Part]

    init(_ parts: [Part]) { self.parts = parts }

    /// - Parameter options: The values of `-d`: messages, `@FILE`, or `@` for the standard input.
    init(_ options: [String]) throws {
        guard options.count(where: Self.isStandardInput) < 2 else {
            throw UsageError(message: "-d @ can be given only once")
        }
        parts = try options.map { option in
            if Self.isStandardInput(option) {
                .standardInput(InputReader(descriptor: 0))
            } else if option.hasPrefix("@") {
                .bytes(try Arguments.contents(of: String(option.dropFirst())))
            } else {
                .bytes(Array(option.utf8))
            }
        }
    }

    private static func isStandardInput(_ option: String) -> Bool {
        option == "@" || option == "@-"
    }

    /// All bytes; nil if not all of them are known yet.
    ///
    /// - Parameter separator: The bytes between two parts.
    func bytes(separator: [UInt8]) -> [UInt8]? {
        var known: [UInt8] = []
        for (index, part) in parts.enumerated() {
            guard case .bytes(let bytes) = part else { return nil }
            known += index == 0 ? bytes : separator + bytes
        }
        return known
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
        guard format.name != .binary || input.parts.count < 2 else {
            throw UsageError(
                message: "the method takes one request, and -d is given \(input.parts.count) times",
                isAboutUsage: false)
        }
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
        while let part = input.parts.first {
            var chunk = try await Self.nextChunk(of: part)
            let isBytes = if case .bytes = part { true } else { false }
            if isBytes || chunk.isEmpty {
                input.parts.removeFirst()
                if !input.parts.isEmpty { chunk += format.separator }
            }
            if !chunk.isEmpty { return chunk }
        }
        return []
    }

    /// Returns the next bytes of a part; empty at its end. `bytes` are returned as a whole.
    private static func nextChunk(of part: RequestInput.Part) async throws -> [UInt8] {
        switch part {
        case .bytes(let bytes): return bytes
        case .standardInput(let reader): return try await reader.next()
        case .typed(let texts):
            var iterator = texts.makeAsyncIterator()
            let text = await iterator.next()
            // A cancelled stream ends, too.
            try Task.checkCancellation()
            return text ?? []
        }
    }
}
