import Foundation
import PackagePlugin

/// Writes Swift source for the `.proto` files of a package's targets, beside their other sources:
/// `swift package generate-from-proto [--target TARGET]… [--output DIR]`.
@main
struct GenerateCommandPlugin: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) throws {
        var extractor = ArgumentExtractor(arguments)
        let names = extractor.extractOption(named: "target")
        let outputs = extractor.extractOption(named: "output")
        guard extractor.remainingArguments.isEmpty, outputs.count <= 1 else {
            throw ProtoTargetError(
                description: "usage: swift package generate-from-proto [--target TARGET]… "
                    + "[--output DIR]; DIR is relative to the target and 'Generated' by default")
        }
        let targets =
            names.isEmpty ? context.package.targets : try context.package.targets(named: names)
        let tool = try context.tool(named: "swiftlet-generator").url
        var hasFiles = false
        for case let target as any SourceModuleTarget in targets {
            // Searches the directory, because the manifest may exclude `.proto` files from the
            // target to avoid SwiftPM's warning about unhandled files.
            let directory = target.directoryURL
            let protos = try ProtoTarget(directory, sources: ProtoTarget.contents(of: directory))
            guard !protos.names.isEmpty else { continue }
            hasFiles = true
            let output = URL(
                filePath: outputs.first ?? "Generated", directoryHint: .isDirectory,
                relativeTo: directory)
            try run(tool, protos.arguments(output: output.standardizedFileURL))
            print("\(target.name): wrote \(output.standardizedFileURL.path)")
        }
        guard hasFiles else {
            throw ProtoTargetError(description: "no target has .proto files in its directory")
        }
    }

    /// Runs the generator, which prints the errors of `.proto` files itself. Throws if it fails.
    private func run(_ tool: URL, _ arguments: [String]) throws {
        let process = try Process.run(tool, arguments: arguments)
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw ProtoTargetError(description: "the generator ended with an error")
        }
    }
}
