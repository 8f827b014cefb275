import Swiftlet
import SwiftletDynamic
import SwiftletTransport

/// The encoded requests of the calls of a benchmark.
struct LoadRequests: Sendable {
    private enum Source {
        /// The same requests for every call.
        case constant([[UInt8]])
        case template(DataTemplate)
    }

    private let method: MethodSchema
    private let source: Source
    private let headers: LoadHeaders

    /// Reads the values of `-d`. Throws a usage error for requests that are not of the method's type, and
    /// for headers that are not valid with the values of the first call.
    init(_ options: [String], headers: LoadHeaders, of method: MethodSchema) async throws {
        self.method = method
        self.headers = headers
        // Reports invalid headers before the first call.
        _ = try headers.metadata(Self.values(number: 0, worker: 0, method))
        let input = try RequestInput(options)
        guard let bytes = input.bytes(separator: MessageFormat(name: .json).separator) else {
            source = .constant(try await Self.encoded(input, method))
            return
        }
        let template = try DataTemplate(String(decoding: bytes, as: UTF8.self))
        guard !template.isConstant else {
            source = .constant(try await Self.encoded(input, method))
            return
        }
        source = .template(template)
        _ = try await Self.encoded(text(template, number: 0, worker: 0), method)
    }

    /// The requests of one call.
    ///
    /// - Parameters:
    ///   - number: The number of the call.
    ///   - worker: The number of the task that makes the call.
    func requests(number: Int, worker: Int) async throws(RPCError) -> [[UInt8]] {
        switch source {
        case .constant(let requests): return requests
        case .template(let template):
            do {
                return try await Self.encoded(
                    text(template, number: number, worker: worker), method)
            } catch {
                throw Self.failure(error, number)
            }
        }
    }

    /// The metadata that one call adds to the metadata of the channel.
    ///
    /// - Parameters:
    ///   - number: The number of the call.
    ///   - worker: The number of the task that makes the call.
    func metadata(number: Int, worker: Int) throws(RPCError) -> Metadata {
        guard !headers.isConstant else { return Metadata() }
        do {
            return try headers.metadata(Self.values(number: number, worker: worker, method))
        } catch {
            throw Self.failure(error, number)
        }
    }

    private static func failure(_ error: any Error, _ number: Int) -> RPCError {
        let message = (error as? UsageError)?.message ?? "\(error)"
        return RPCError(.invalidArgument, "call \(number): \(message)")
    }

    private static func values(
        number: Int, worker: Int, _ method: MethodSchema
    ) -> TemplateValues {
        TemplateValues(
            requestNumber: number, workerNumber: worker, now: WallClock.nanoseconds, method: method)
    }

    private func text(_ template: DataTemplate, number: Int, worker: Int) -> RequestInput {
        let values = Self.values(number: number, worker: worker, method)
        var random = SystemRandomNumberGenerator()
        return RequestInput([.bytes(Array(template.text(values, using: &random).utf8))])
    }

    private static func encoded(
        _ input: RequestInput, _ method: MethodSchema
    ) async throws -> [[UInt8]] {
        var messages = RequestMessages(
            input, as: method.input, MessageFormat(name: .json), isStream: method.streamsRequests)
        guard method.streamsRequests else { return [try await messages.only().encoded()] }
        var requests: [[UInt8]] = []
        while let message = try await messages.next() { requests.append(try message.encoded()) }
        return requests
    }
}
