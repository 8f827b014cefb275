import SwiftletDynamic
import SwiftletLoopback

/// Compiles `.proto` files and reports their mistakes.
enum CheckCommand: Command {
    static let name = "check"
    static let usage = "check FILE.proto… [-I DIR] [--warnings-as-errors]"
    static let purpose = """
        compiles .proto files and prints their errors and warnings with file, line and column. The
              exit status is 1 when there is an error
        """
    static let examples = [
        "check Protos/shop.proto", "check shop/cart.proto shop/order.proto -I Protos",
    ]
    static let options: [CommandOption] = [
        .value(
            "I", "import-path", named: "DIR",
            help: "a directory of the files and their imports; default: that of each file"),
        .flag("warnings-as-errors", help: "ends with 1 when there is a warning, too"),
    ]

    static func run(_ arguments: Arguments) async throws {
        _ = try arguments.word(0, "FILE.proto")
        let files = try ProtoArguments(arguments.words, in: arguments.all("-I"))
        let diagnostics = ProtoCompiler(reading: files.directories.read).check(files.names)
        let report = DiagnosticReport(directories: files.directories)
        for diagnostic in diagnostics { printToStandardError(report.text(of: diagnostic)) }
        guard !diagnostics.isEmpty else { return }
        printToStandardError(DiagnosticReport.summary(of: diagnostics))
        let fails = diagnostics.contains { $0.severity == .error }
        if fails || arguments.has("--warnings-as-errors") { throw ExitStatus(status: 1) }
    }
}
