import Foundation
import PackagePlugin

/// Compiles the `.proto` files of a target to Swift when the target is built.
@main
struct BuildPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let module = target as? any SourceModuleTarget else { return [] }
        let protos = try ProtoTarget(
            module.directoryURL, sources: module.sourceFiles.map(\.url))
        guard !protos.names.isEmpty else { return [] }
        let output = context.pluginWorkDirectoryURL
        return [
            .buildCommand(
                displayName: "Generating Swift for the .proto files of \(target.name)",
                executable: try context.tool(named: "swiftlet-generator").url,
                arguments: protos.arguments(output: output) + ["--empty-files"],
                inputFiles: protos.inputs, outputFiles: protos.outputs(in: output))
        ]
    }
}
