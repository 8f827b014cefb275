import SwiftletTransport

/// Writes a line to standard error. Gives up when that is closed or full.
package func printToStandardError(_ line: String) { StandardError.writeLine(line) }

/// Writes a text to standard error. Gives up when that is closed or full.
package func writeToStandardError(_ text: String) { StandardError.write(text) }
