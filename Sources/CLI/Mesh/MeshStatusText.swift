import Swiftlet
import SwiftletDynamic
import SwiftletLoopback
import SwiftletTransport
import SwiftletXDS

/// What is known of targets, for people and for programs.
struct MeshStatusText {
    let status: XDS.Status
    /// By the target.
    let outcomes: [String: MeshStatus.Outcome]
    var now = WallClock.now

    var text: String {
        status.targets.map { target in
            var lines = ["\(PeerText.clean(target.target)) (node \(PeerText.clean(target.nodeID)))"]
            switch outcomes[target.target] {
            case .failed(let text)?: lines.append("  calls fail: \(PeerText.clean(text))")
            case .late?: lines.append("  the configuration is not complete")
            case .complete?, nil: break
            }
            lines += target.servers.map { "  \(Self.line($0))" }
            return (lines + table(target.resources)).joined(separator: "\n")
        }.joined(separator: "\n\n")
    }

    private static func line(_ server: XDS.Status.Server) -> String {
        // The error names the control plane, too.
        if let error = server.error { return PeerText.clean(error) }
        let state = server.isConnected ? "connected" : "not connected"
        return "control plane \(PeerText.clean(server.uri)): \(state)"
    }

    /// A line for each resource, with its columns aligned, and a line for each error.
    private func table(_ resources: [XDS.Status.Resource]) -> [String] {
        let rows = resources.map { resource in
            [
                resource.type.utf8.split(separator: UInt8(ascii: ".")).last
                    .map { String(Substring($0)) } ?? "",
                PeerText.clean(resource.name, upTo: 200), resource.state.protocolName,
                resource.lastUpdate == nil
                    ? "" : "version \(PeerText.clean(resource.version, upTo: 80))",
                resource.lastUpdate.map { age(of: $0) } ?? "",
            ]
        }
        let widths = (0..<5).map { column in rows.map { $0[column].unicodeScalars.count }.max() ?? 0
        }
        var lines: [String] = []
        for (row, resource) in zip(rows, resources) {
            let cells = zip(row, widths).map { cell, width in
                cell + String(repeating: " ", count: max(0, width - cell.unicodeScalars.count))
            }
            var line = Array(("  " + cells.joined(separator: "  ")).utf8)
            while line.last == UInt8(ascii: " ") { line.removeLast() }
            lines.append(String(decoding: line, as: UTF8.self))
            guard let error = resource.error else { continue }
            let version =
                error.version.isEmpty ? "" : "version \(PeerText.clean(error.version, upTo: 80)), "
            lines.append("    \(version)\(age(of: error.time)): \(PeerText.clean(error.message))")
        }
        return lines
    }

    /// `12 s ago`.
    private func age(of time: Duration) -> String {
        // The clock of the system may have been set back.
        let seconds = max(0, (now - time).components.seconds)
        switch seconds {
        case ..<120: return "\(seconds) s ago"
        case ..<7_200: return "\(seconds / 60) min ago"
        case ..<172_800: return "\(seconds / 3_600) h ago"
        default: return "\(seconds / 86_400) days ago"
        }
    }
}

// MARK: - JSON

extension MeshStatusText {
    var json: String {
        IndentedJSON.object([("targets", IndentedJSON.list(status.targets.map(json)))])
    }

    private func json(_ target: XDS.Status.Target) -> String {
        var members = [
            ("target", JSONText.quoted(target.target)), ("node", JSONText.quoted(target.nodeID)),
        ]
        switch outcomes[target.target] {
        case .failed(let text)?:
            members += [
                ("configuration", JSONText.quoted("failed")), ("error", JSONText.quoted(text)),
            ]
        case .late?: members.append(("configuration", JSONText.quoted("incomplete")))
        case .complete?, nil: members.append(("configuration", JSONText.quoted("complete")))
        }
        let servers = target.servers.map { server in
            IndentedJSON.object([
                ("uri", JSONText.quoted(server.uri)), ("connected", "\(server.isConnected)"),
                ("error", IndentedJSON.text(server.error)),
            ])
        }
        return IndentedJSON.object(
            members + [
                ("servers", IndentedJSON.list(servers)),
                ("resources", IndentedJSON.list(target.resources.map(json))),
            ])
    }

    private func json(_ resource: XDS.Status.Resource) -> String {
        var members = [
            ("type", JSONText.quoted(resource.type)), ("name", JSONText.quoted(resource.name)),
            ("state", JSONText.quoted(resource.state.protocolName)),
        ]
        if let time = resource.lastUpdate {
            members += [
                ("version", JSONText.quoted(resource.version)), ("lastUpdate", Self.text(of: time)),
                ("ageSeconds", "\(max(0, (now - time).components.seconds))"),
                ("byteCount", "\(resource.bytes.count)"),
            ]
        }
        if let error = resource.error {
            members.append(
                (
                    "error",
                    IndentedJSON.object([
                        ("message", JSONText.quoted(error.message)),
                        ("version", JSONText.quoted(error.version)),
                        ("time", Self.text(of: error.time)),
                    ])
                ))
        }
        return IndentedJSON.object(members)
    }

    private static func text(of time: Duration) -> String {
        let (seconds, attoseconds) = time.components
        let nanos = Int32(clamping: attoseconds / 1_000_000_000)
        return IndentedJSON.text(TimestampText.text(seconds: seconds, nanos: nanos))
    }
}
