import Foundation

/// What is wrong with the command line.
struct Complaint: Error {
    let text: String
    init(_ text: String) { self.text = text }
}

/// Says what is wrong with the command line, and ends with the status for wrong usage.
func complain(_ message: String) -> Never {
    say("swiftlet-bench: \(message)")
    exit(2)
}

/// Says what went wrong, and ends with the status for what fails though it was asked for rightly.
func giveUp(_ message: String) -> Never {
    say("swiftlet-bench: \(message)")
    exit(1)
}

/// Writes a line to standard error.
func say(_ message: String) {
    FileHandle.standardError.write(Data((message + "\n").utf8))
}
