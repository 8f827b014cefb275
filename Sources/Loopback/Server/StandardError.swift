import SwiftletTransport

/// Writes a line to standard error. If a write fails, the rest of the line is lost.
package func printToStandardError(_ line: String) { StandardError.writeLine(line) }

/// Writes a text to standard error. If a write fails, the rest of the text is lost.
package func writeToStandardError(_ text: String) { StandardError.write(text) }
