import Foundation

/// A command line that is not valid.
struct Complaint: Error {
    let text: String
    init(_ text: String) { self.text = text }
}

/// A failure of a valid command.
struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Prints an error of the command line, and exits with status 2.
func complain(_ message: String) -> Never {
    say("swiftlet-bench: \(message)")
    exit(2)
}

/// Prints a failure of a valid command, and exits with status 1.
func giveUp(_ message: String) -> Never {
    say("swiftlet-bench: \(message)")
    exit(1)
}

/// Writes a line to standard error.
func say(_ message: String) {
    FileHandle.standardError.write(Data((message + "\n").utf8))
}
