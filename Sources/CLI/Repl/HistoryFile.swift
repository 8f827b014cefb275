import SwiftletLoopback

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The file of the interactive mode's history: `swiftlet/history` in `$XDG_STATE_HOME`, which is
/// `~/.local/state` by default.
struct HistoryFile {
    private let path: String
    private var hasFailed = false

    /// Nil if neither `XDG_STATE_HOME` nor `HOME` is set.
    init?() {
        let state = Terminal.variable("XDG_STATE_HOME")
        let home = Terminal.variable("HOME")
        guard !state.isEmpty || !home.isEmpty else { return nil }
        path = (state.isEmpty ? home + "/.local/state" : state) + "/swiftlet/history"
    }

    /// Empty for a file that does not exist yet.
    var content: [UInt8] {
        do throws(FileError) {
            return try readFile(path)
        } catch {
            if error.code != ENOENT {
                printToStandardError("swiftlet: cannot read '\(path)': \(error.reason)")
            }
            return []
        }
    }

    /// Writes the file. A failure is reported once.
    mutating func save(_ history: LineHistory) {
        guard !hasFailed else { return }
        do throws(FileError) {
            for index in path.indices.dropFirst() where path[index] == "/" {
                let directory = String(path[..<index])
                guard unsafe mkdir(directory, 0o700) != 0, errno != EEXIST else { continue }
                throw FileError(path: directory, code: errno)
            }
            // Requests may contain secrets.
            let file = try OutputFile(path, isPrivate: true)
            try file.removeContent()
            try file.write(Array(history.file.utf8))
        } catch {
            hasFailed = true
            printToStandardError("swiftlet: the history is not saved: \(error)")
        }
    }
}
