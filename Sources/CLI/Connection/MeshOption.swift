import Swiftlet
import SwiftletXDS

/// Targets whose servers come from a control plane: `xds:///NAME`.
enum MeshOption {
    static let option = CommandOption.value(
        "xds-bootstrap", named: "FILE",
        help: "the control planes of targets such as xds:///NAME; default: the file that the "
            + "variable GRPC_XDS_BOOTSTRAP names")

    /// Whether the target has a control plane.
    static func isMesh(_ target: String) -> Bool { target.lowercased().hasPrefix("xds:") }

    /// Lets channels have the target, if it has a control plane.
    static func enable(for target: String, _ arguments: Arguments) throws {
        guard isMesh(target) else {
            guard arguments["--xds-bootstrap"] == nil else {
                throw UsageError(message: "--xds-bootstrap needs a target such as xds:///NAME")
            }
            return
        }
        XDS.enable(try bootstrap(arguments))
    }

    /// The bootstrap of the command line; nil for that of the environment.
    static func bootstrap(_ arguments: Arguments) throws -> XDS.Bootstrap? {
        guard let text = try arguments.file("--xds-bootstrap") else { return nil }
        return try UsageError.whenInvalid { try XDS.Bootstrap(json: text) }
    }
}
