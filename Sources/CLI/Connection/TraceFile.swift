import Swiftlet
import SwiftletLoopback
import SwiftletObservation
import Synchronization

/// The file of `--trace-out`: a span on each line.
enum TraceFile {
    static let option = CommandOption.value(
        "trace-out", named: "FILE",
        help: "writes a span of each call and each attempt, as OpenTelemetry's JSON")

    /// Traces the calls of all channels, if the command line asks for it. Returns the file, which still has its
    /// content; nil if calls are not traced, or were already.
    static func begin(_ arguments: Arguments) throws -> OutputFile? {
        guard let path = arguments["--trace-out"], CallTracers.ofProcess == nil else { return nil }
        let file = try OutputFile(path)
        let hasFailed = Atomic(false)
        CallTracers.ofProcess = SpanRecorder { span in
            let line = OpenTelemetryJSON.text(of: [span], service: "swiftlet") + "\n"
            do { try file.write(Array(line.utf8)) } catch {
                // The calls go on without a trace. One message is enough.
                guard !hasFailed.exchange(true, ordering: .relaxed) else { return }
                printToStandardError("swiftlet: --trace-out: \(error)")
            }
        }
        return file
    }
}
