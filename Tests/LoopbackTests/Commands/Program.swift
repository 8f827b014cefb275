import Foundation
import Synchronization

/// A run of the built command line, which ends with the test.
final class Program: Sendable {
    struct Output {
        var status: Int32
        var output: String
        var errors: String
    }

    private let process: Mutex<Process>
    private let input = Pipe()
    private let output = Pipe()
    private let errors = Pipe()

    /// Beside the tests.
    private static let url =
        Bundle.allBundles.lazy
        .map { $0.bundleURL.deletingLastPathComponent().appending(path: "swiftlet") }
        .first { FileManager.default.isExecutableFile(atPath: $0.path) }
        ?? URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appending(path: "swiftlet")

    init(_ arguments: [String], environment: [String: String] = [:]) throws {
        let process = Process()
        process.executableURL = Self.url
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        self.process = Mutex(process)
    }

    deinit {
        let process = process.withLock { $0.processIdentifier }
        if isRunning { kill(process, SIGKILL) }
    }

    private var isRunning: Bool { process.withLock { $0.isRunning } }

    /// Runs the program to its end.
    static func run(
        _ arguments: [String], input: String = "", environment: [String: String] = [:]
    ) async throws -> Output {
        let program = try Program(arguments, environment: environment)
        program.write(input)
        program.endInput()
        return try await program.end()
    }

    func write(_ text: String) { input.fileHandleForWriting.write(Data(text.utf8)) }

    func endInput() { try? input.fileHandleForWriting.close() }

    func interrupt() { kill(process.withLock { $0.processIdentifier }, SIGINT) }

    /// Waits until the program prints a line that ends in `end`.
    func line(endingIn end: String) async throws -> String {
        try await line { $0.hasSuffix(end) }
    }

    /// Waits until the program prints a line that begins with `start`.
    func line(startingWith start: String) async throws -> String {
        try await line { $0.hasPrefix(start) }
    }

    /// Empty if the program ends before.
    private func line(where isFound: @escaping @Sendable (String) -> Bool) async throws -> String {
        try await onThread { [output] in
            var line: [UInt8] = []
            while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first {
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

    /// Waits for the end, with what was not read before.
    func end() async throws -> Output {
        async let printed = Self.all(of: output)
        async let complaints = Self.all(of: errors)
        let (output, errors) = try await (printed, complaints)
        return try await onThread { [self] in
            // The streams are closed: the end of the process follows at once.
            process.withLock { process in
                process.waitUntilExit()
                return Output(status: process.terminationStatus, output: output, errors: errors)
            }
        }
    }

    private static func all(of pipe: Pipe) async throws -> String {
        try await onThread {
            String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        }
    }
}
