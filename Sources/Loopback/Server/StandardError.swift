import SwiftletTransport

/// Writes a line to standard error. If a write fails, the rest of the line is lost. Characters that control
/// a terminal become spaces, because many texts contain names and messages from a peer.
package func printToStandardError(_ line: String) {
    StandardError.writeLine(PeerText.cleanLines(line))
}

/// Writes a text to standard error. If a write fails, the rest of the text is lost.
package func writeToStandardError(_ text: String) { StandardError.write(text) }
