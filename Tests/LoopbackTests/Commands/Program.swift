import Foundation
import TestSupport

/// A process of the built command line tool, which is killed at the end of the test.
final class Program: Sendable {
    struct Output {
        var status: Int32
        var output: String
        var errors: String
    }

    private let process: ChildProcess

    /// The tool, which is in the same folder as the test bundle.
    static let url =
        Bundle.allBundles.lazy
        .map { $0.bundleURL.deletingLastPathComponent().appending(path: "swiftlet") }
        .first { FileManager.default.isExecutableFile(atPath: $0.path) }
        ?? URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appending(path: "swiftlet")

    init(_ arguments: [String], environment: [String: String] = [:]) throws {
        process = try ChildProcess(Self.url.path, arguments, environment: environment)
    }

    /// Runs the program to its end.
    static func run(
        _ arguments: [String], input: String = "", environment: [String: String] = [:]
    ) async throws -> Output {
        let program = try Program(arguments, environment: environment)
        program.write(input)
        program.endInput()
        return try await program.end()
    }

    func write(_ text: String) { process.input.write(Data(text.utf8)) }

    func endInput() { try? process.input.close() }

    func interrupt() { process.send(signal: SIGINT) }

    /// Waits until the program prints a line that ends in `end`.
    func line(endingIn end: String) async throws -> String {
        try await line { $0.hasSuffix(end) }
    }

    /// Waits until the program prints a line that begins with `start`.
    func line(startingWith start: String) async throws -> String {
        try await line { $0.hasPrefix(start) }
    }

    /// The first line that meets a condition; empty if the program ends before it prints one.
    private func line(where isFound: @escaping @Sendable (String) -> Bool) async throws -> String {
        try await onThread { [process] in
            var line: [UInt8] = []
            while let byte = try process.output.read(upToCount: 1)?.first {
                guard byte == UInt8(ascii: "\n") else {
                    line.append(byte)
                    continue
                }
                let text = String(decoding: line, as: UTF8.self)
                if isFound(text) { return text }
                line = []
            }
            return ""
        }
    }

    /// Waits for the end of the program. Returns its status and the output that was not read before.
    func end() async throws -> Output {
        async let printed = onThread { [process] in try process.allOutput() }
        async let complaints = onThread { [process] in try process.allErrors() }
        let (output, errors) = try await (printed, complaints)
        // The streams are closed: the end of the process follows at once.
        let status = try await onThread { [process] in process.wait() }
        return Output(status: status, output: output, errors: errors)
    }
}
