import Swiftlet
import SwiftletLoopback
import SwiftletTransport
import SwiftletXDS

/// `swiftlet xds validate FILE…`.
enum ResourceCheck {
    /// What was found in a file.
    private struct Report {
        let path: String
        /// Why the file cannot be read; nil if it can.
        var failure: String?
        var resources: [XDS.ResourceFindings] = []

        var isValid: Bool { failure == nil && resources.allSatisfy { $0.problems.isEmpty } }
    }

    static func run(_ paths: [String], _ arguments: Arguments) throws {
        guard !paths.isEmpty else { throw UsageError(message: "FILE is missing") }
        let bootstrap = try MeshOption.bootstrap(arguments)
        let reports = try paths.map { try report(on: $0, bootstrap) }
        if arguments.has("--json") {
            printText(IndentedJSON.list(reports.map(json)))
        } else {
            for report in reports { for line in lines(report) { printText(line) } }
        }
        guard reports.allSatisfy(\.isValid) else { throw ExitStatus(status: 1) }
    }

    /// Throws if there is no such file.
    private static func report(
        on path: String, _ bootstrap: XDS.Bootstrap?
    ) throws -> Report {
        var report = Report(path: path)
        let text = String(decoding: try Arguments.contents(of: path), as: UTF8.self)
        do {
            report.resources = try ResourceFile(text).entries.map {
                XDS.findings(inResource: $0.typeURL, $0.bytes, bootstrap)
            }
        } catch let error as UsageError {
            report.failure = error.message
        } catch let error as RPCError {
            report.failure = error.message
        }
        return report
    }

    private static func lines(_ report: Report) -> [String] {
        if let failure = report.failure { return ["\(report.path): \(failure)"] }
        return report.resources.enumerated().flatMap { index, resource -> [String] in
            let name = resource.name ?? "without a name"
            let type = resource.type.isEmpty ? "without a type" : resource.type
            let place =
                "\(report.path): resource \(index) (\(type) \(PeerText.clean(name, upTo: 200)))"
            if resource.problems.isEmpty { return ["\(place): valid"] }
            return resource.problems.map { "\(place): \($0)" }
        }
    }

    private static func json(_ report: Report) -> String {
        IndentedJSON.object([
            ("file", JSONText.quoted(report.path)), ("valid", "\(report.isValid)"),
            ("error", IndentedJSON.text(report.failure)),
            (
                "resources",
                IndentedJSON.list(
                    report.resources.map { resource in
                        IndentedJSON.object([
                            ("type", JSONText.quoted(resource.type)),
                            ("name", IndentedJSON.text(resource.name)),
                            ("problems", IndentedJSON.texts(resource.problems)),
                        ])
                    })
            ),
        ])
    }
}
