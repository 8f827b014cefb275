import Foundation

/// The command line is not valid.
struct Complaint: Error {
    let text: String
    init(_ text: String) { self.text = text }
}

/// What a valid command found wrong.
struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Prints the error in the command line, and exits with the status for wrong usage.
func complain(_ message: String) -> Never {
    say("swiftlet-bench: \(message)")
    exit(2)
}

/// Prints the error, and exits with the status for a failure of a valid command.
func giveUp(_ message: String) -> Never {
    say("swiftlet-bench: \(message)")
    exit(1)
}

/// Writes a line to standard error.
func say(_ message: String) {
    FileHandle.standardError.write(Data((message + "\n").utf8))
}
