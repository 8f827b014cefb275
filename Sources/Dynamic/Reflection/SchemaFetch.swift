import SwiftletMessages
public import SwiftletServiceMessages

/// Fetches a schema through a server's reflection. A value without I/O: it returns the next request to send, and
/// processes the responses.
///
/// ```swift
/// var fetch = SchemaFetch(symbols: ["helloworld.Greeter"])
/// while let request = fetch.next() {
///     // Send the request on a call of `fetch.path`, and pass the answer to it.
///     try fetch.receive(answer)
/// }
/// let schema = try fetch.schema()
/// ```
///
/// If the call fails with the status "unimplemented", call ``fallBack()`` and start another call.
public struct SchemaFetch: Sendable {
    public typealias Request = GRPC.Reflection.ServerReflectionRequest
    public typealias Response = GRPC.Reflection.ServerReflectionResponse
    private typealias File = Google.Protobuf.FileDescriptorProto

    /// The versions of the service. Their messages are the same.
    @nonexhaustive
    public enum Version: String, Sendable {
        case v1
        case v1alpha
    }

    /// The limits of what a server may send.
    public struct Limits: Hashable, Sendable {
        /// The most files. Default: 10,000.
        public var maxFileCount = 10_000
        /// The most bytes of all files. Default: 64 MiB.
        public var maxByteCount = 64 << 20

        /// The most bytes of memory for the declarations in all files. Files of common schemas need up to ten times
        /// their size, and those of a hostile server hundreds of times. Default: 512 MiB.
        public var maxMemoryByteCount = 512 << 20

        /// The most requests. Default: 100,000.
        public var maxRequestCount = 100_000

        /// Makes the default limits.
        public init() {}
    }

    private enum Query: Hashable, Sendable {
        case services
        case symbol(String)
        case file(String)
        case extensionNumbers(String)
        case fieldExtension(String, Int32)
    }

    /// The version of the service that requests are sent to.
    public private(set) var version = Version.v1

    /// The names of the services. Empty until the server has answered the request for them.
    public private(set) var serviceNames: [String] = []

    private let limits: Limits
    private let fetchesAllServices: Bool
    private var pending: [Query]
    private var sent: Set<Query> = []
    /// The reflection request that was sent and has no response yet.
    private var open: Query?
    private var files: [String: File] = [:]
    private var fileNames: [String] = []
    /// The server's reasons for the files that it does not have, by their names.
    private var missingFiles: [String: String] = [:]
    private var byteCount = 0
    private var memoryByteCount = 0
    /// How many requests ``next()`` has returned.
    public private(set) var requestCount = 0

    private init(pending: [Query], fetchesAllServices: Bool, limits: Limits) {
        self.pending = pending
        self.fetchesAllServices = fetchesAllServices
        self.limits = limits
    }

    /// Fetches the files that declare `symbols`, and everything that these files import.
    ///
    /// - Parameters:
    ///   - symbols: Full names of services, methods, messages or enums.
    ///   - messages: Full names of messages whose extensions are fetched as well.
    ///   - limits: The limits for the server's answers.
    public init(
        symbols: [String], extensionsOf messages: [String] = [], limits: Limits = Limits()
    ) {
        self.init(
            pending: symbols.map { .symbol($0) } + messages.map { .extensionNumbers($0) },
            fetchesAllServices: false, limits: limits)
    }

    /// Fetches the files of all services that the server lists.
    public static func allServices(limits: Limits = Limits()) -> SchemaFetch {
        SchemaFetch(pending: [.services], fetchesAllServices: true, limits: limits)
    }

    /// The path of the call that carries the requests.
    public var path: String {
        "/grpc.reflection.\(version.rawValue).ServerReflection/ServerReflectionInfo"
    }

    /// Whether all requests have been sent and answered.
    public var isComplete: Bool { open == nil && pending.isEmpty }

    // MARK: Requests

    /// The next request. Nil when no request is left, or when one has no answer yet.
    public mutating func next() -> Request? {
        guard open == nil else { return nil }
        while let query = pending.popLast() {
            guard sent.insert(query).inserted else { continue }
            if case .file(let name) = query, files[name] != nil { continue }
            open = query
            requestCount += 1
            return request(query)
        }
        return nil
    }

    /// Switches to the older version of the service. If a request has no response yet, ``next()`` returns this request
    /// again. Returns false if the older version is already in use.
    public mutating func fallBack() -> Bool {
        guard version == .v1 else { return false }
        version = .v1alpha
        if let query = open.take() {
            sent.remove(query)
            pending.append(query)
        }
        return true
    }

    private func request(_ query: Query) -> Request {
        var request = Request()
        switch query {
        case .services: request.messageRequest = .listServices("*")
        case .symbol(let name): request.messageRequest = .fileContainingSymbol(name)
        case .file(let name): request.messageRequest = .fileByFilename(name)
        case .extensionNumbers(let name):
            request.messageRequest = .allExtensionNumbersOfType(name)
        case .fieldExtension(let name, let number):
            var fieldExtension = GRPC.Reflection.ExtensionRequest()
            fieldExtension.containingType = name
            fieldExtension.extensionNumber = number
            request.messageRequest = .fileContainingExtension(fieldExtension)
        }
        return request
    }

    // MARK: Responses

    /// Processes the response to the request that ``next()`` returned last.
    ///
    /// Throws when the server answers with an error, answers another request, sends a file that
    /// cannot be decoded, or exceeds a limit.
    public mutating func receive(_ response: Response) throws(SchemaError) {
        guard let query = open.take() else {
            throw SchemaError(declaration: path, message: "an answer without a request")
        }
        switch (query, response.messageResponse) {
        case (.services, .listServicesResponse(let list)):
            let names = list.service.map(\.name)
            for name in names { try checkName(name) }
            serviceNames = names
            if fetchesAllServices { pending += serviceNames.reversed().map { .symbol($0) } }
        case (.extensionNumbers(let name), .allExtensionNumbersResponse(let list)):
            pending += list.extensionNumber.map { .fieldExtension(name, $0) }
        case (.symbol, .fileDescriptorResponse(let list)),
            (.file, .fileDescriptorResponse(let list)),
            (.fieldExtension, .fileDescriptorResponse(let list)):
            for bytes in list.fileDescriptorProto { try add(bytes) }
            try checkFile(query)
        case (.file(let name), .errorResponse(let error)):
            try replace(name, "error \(error.errorCode): \(error.errorMessage)")
        case (_, .errorResponse(let error)):
            throw SchemaError(
                declaration: name(of: query),
                message: "the server answered error \(error.errorCode): \(error.errorMessage)")
        default:
            throw SchemaError(
                declaration: name(of: query), message: "the server answered another request")
        }
        try checkRequestCount()
    }

    /// Throws if the limit is reached and a request is left. Otherwise a server could name files without end that it
    /// then does not have.
    private func checkRequestCount() throws(SchemaError) {
        guard requestCount >= limits.maxRequestCount,
            pending.contains(where: { !sent.contains($0) })
        else { return }
        throw SchemaError(
            declaration: path,
            message: """
                the answers lead to more than \(limits.maxRequestCount) requests; ask for fewer \
                symbols, or use the .proto files
                """)
    }

    private mutating func add(_ bytes: [UInt8]) throws(SchemaError) {
        byteCount += bytes.count
        guard byteCount <= limits.maxByteCount, files.count < limits.maxFileCount else {
            throw SchemaError(
                declaration: path,
                message: """
                    the server sends more than \(limits.maxByteCount) bytes or \
                    \(limits.maxFileCount) files
                    """)
        }
        do throws(WireError) { memoryByteCount += try File.listByteCount(of: bytes) } catch {
            throw undecodable(error)
        }
        guard memoryByteCount <= limits.maxMemoryByteCount else {
            throw SchemaError(
                declaration: path,
                message: """
                    the files of the server need more than \(limits.maxMemoryByteCount) bytes of \
                    memory; ask for fewer symbols, or use the .proto files
                    """)
        }
        let file: File
        do throws(WireError) { file = try File(decoding: bytes) } catch {
            throw undecodable(error)
        }
        let name = file.name ?? ""
        try checkName(name)
        for name in file.dependency { try checkName(name) }
        guard files.updateValue(file, forKey: name) == nil else { return }
        fileNames.append(name)
        pending += file.dependency.map { .file($0) }
    }

    private func undecodable(_ error: WireError) -> SchemaError {
        SchemaError(declaration: path, message: "a file cannot be decoded: \(error)")
    }

    /// Throws for a name that cannot be a key at a cost that is proportional to its size.
    private func checkName(_ name: String) throws(SchemaError) {
        guard !DeclaredName.canBeKey(name) else { return }
        throw SchemaError(
            declaration: ProtoName.shown(name),
            message: """
                the server sends a name with more than \(DeclaredName.maxByteCount) bytes or \
                \(CombiningMarks.maxRun) combining marks in a row
                """)
    }

    /// Uses the library's own file in place of an import that the server does not have. Without one, the import is
    /// left out: often no type needs it, for example when it only has options.
    private mutating func replace(_ name: String, _ reason: String) throws(SchemaError) {
        guard let standard = try? ProtoCompiler().compile([name]).file else {
            missingFiles[name] = reason
            return
        }
        for file in standard { try add(file.encoded()) }
    }

    /// Throws if the server has answered the request for a file only with other files.
    private func checkFile(_ query: Query) throws(SchemaError) {
        guard case .file(let name) = query, files[name] == nil else { return }
        throw SchemaError(
            file: name, declaration: name, message: "the server did not send the file")
    }

    private func name(of query: Query) -> String {
        switch query {
        case .services: path
        case .symbol(let name), .file(let name), .extensionNumbers(let name): name
        case .fieldExtension(let name, let number): "extension \(number) of \(name)"
        }
    }

    /// The schema of all files that were fetched. Throws as the initializers of ``Schema`` do. An error of a file
    /// names the imports that the server does not have.
    public func schema() throws(SchemaError) -> Schema {
        do throws(SchemaError) {
            return try Schema(fileNames.compactMap { files[$0].map(withoutMissing) })
        } catch {
            let absent = (files[error.file]?.dependency ?? []).compactMap { name in
                missingFiles[name].map { "'\(name)' (\($0))" }
            }
            guard !absent.isEmpty else { throw error }
            var error = error
            error.message +=
                "; the server did not send the import \(absent.joined(separator: ", "))"
            throw error
        }
    }

    /// The file, with the missing imports as weak ones, which a schema need not have.
    private func withoutMissing(_ file: File) -> File {
        var file = file
        for (position, name) in file.dependency.enumerated() where missingFiles[name] != nil {
            file.weakDependency.append(Int32(position))
        }
        return file
    }
}
