import Swiftlet
import SwiftletDynamic
import SwiftletLoopback

/// Prints the metadata and the times of a call to the standard error, for `-v`.
struct CallLog: Sendable {
    let isEnabled: Bool

    func start(of method: MethodSchema, _ metadata: Metadata) {
        guard isEnabled else { return }
        let input = (method.streamsRequests ? "stream " : "") + method.input.fullName
        let output = (method.streamsResponses ? "stream " : "") + method.output.fullName
        printToStandardError("> \(method.path) (\(input)) returns (\(output))")
        // The description of an element hides a value that authenticates the caller.
        for element in metadata { printToStandardError("> \(element)") }
    }

    func headers(_ metadata: Metadata) {
        guard isEnabled else { return }
        for element in metadata { printToStandardError("< \(element)") }
    }

    func end(trailers: Metadata, _ timeline: CallTimeline?) {
        guard isEnabled else { return }
        for element in trailers { printToStandardError("< \(element)") }
        if let timeline { printToStandardError("* \(timeline)") }
    }
}
