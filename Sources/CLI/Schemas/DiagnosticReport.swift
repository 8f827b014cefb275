import SwiftletDynamic
import SwiftletTransport

/// Prints diagnostics in the form of compilers, which editors support: the place, the severity and the
/// message, and below them the line of the source with a mark.
struct DiagnosticReport {
    /// The directories of the files that diagnostics name.
    let directories: ProtoDirectories

    private static let tabWidth = 8
    /// Of a longer line, only the part around the mark is shown. In bytes.
    private static let maxLineByteCount = 400

    func text(of diagnostic: ProtoDiagnostic) -> String {
        let path = directories.path(of: diagnostic.file) ?? diagnostic.file
        let place = diagnostic.line == 0 ? path : "\(path):\(diagnostic.line):\(diagnostic.column)"
        let message = Self.visible(diagnostic.message)
        let text = "\(place): \(diagnostic.severity): \(message)"
        guard let line = sourceLine(of: diagnostic) else { return text }
        return text + "\n  \(line.text)\n  \(String(repeating: " ", count: line.mark))^"
    }

    static func summary(of diagnostics: [ProtoDiagnostic]) -> String {
        let counts = [ProtoDiagnostic.Severity.error, .warning].compactMap { severity in
            let count = diagnostics.count { $0.severity == severity }
            return count == 0 ? nil : "\(count) \(severity)\(count == 1 ? "" : "s")"
        }
        return counts.joined(separator: ", ")
    }

    /// The line with its tabs as spaces, and the count of characters before the mark.
    private func sourceLine(of diagnostic: ProtoDiagnostic) -> (text: String, mark: Int)? {
        guard diagnostic.line > 0, let source = try? directories.read(diagnostic.file) else {
            return nil
        }
        let lines = source.split(
            separator: UInt8(ascii: "\n"), maxSplits: diagnostic.line,
            omittingEmptySubsequences: false)
        guard lines.count >= diagnostic.line else { return nil }
        var line = lines[diagnostic.line - 1]
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        let half = Self.maxLineByteCount / 2
        guard line.count > Self.maxLineByteCount, diagnostic.column > half else {
            return Self.expanded(line.prefix(Self.maxLineByteCount), mark: diagnostic.column)
        }
        let part = line.dropFirst(diagnostic.column - half).prefix(Self.maxLineByteCount)
        return Self.expanded(part, mark: half)
    }

    /// The line for a terminal. The column counts from 1, in bytes; a tab ends at a multiple of 8.
    private static func expanded(
        _ line: ArraySlice<UInt8>, mark column: Int
    ) -> (text: String, mark: Int) {
        var text = ""
        var width = 0
        var mark: Int?
        for scalar in String(decoding: line, as: UTF8.self).unicodeScalars {
            if width >= column - 1, mark == nil { mark = text.count }
            if scalar == "\t" {
                let count = tabWidth - width % tabWidth
                text += String(repeating: " ", count: count)
                width += count
            } else {
                text.append(visible(scalar))
                width += UTF8.width(scalar)
            }
        }
        return (text, mark ?? text.count)
    }

    private static func visible(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { $0 += visible($1) }
    }

    /// A character that cannot be seen as its number, as in `\u{202e}`. It could hide text, change the order of
    /// the text around it, or change the terminal.
    private static func visible(_ scalar: Unicode.Scalar) -> String {
        PeerText.isHarmless(scalar) ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
    }
}
