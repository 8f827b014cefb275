import Foundation
import Swiftlet
import SwiftletBalancing
import SwiftletXDS

/// The library's client for `Tests/XDS/compare.py`. It has the same input and output as `client.py`.
///
/// Each line of standard input is a command, and each has an answer of one line.
@main
struct XDSProgram {
    static func main() async {
        ServiceConfigText.register()
        XDS.enable()
        var session = Session()
        while let line = readLine() {
            var answer = Answer()
            do {
                let command = try JSONDecoder().decode(Command.self, from: Data(line.utf8))
                switch command.do {
                case .status: answer.resources = await ResourceField.status()
                case .load: answer.load = try await session.load(command)
                default: answer.outcomes = try await session.carryOut(command)
                }
            } catch {
                answer.failure = "\(error)"
            }
            write(answer)
        }
    }

    private static func write(_ answer: Answer) {
        do {
            FileHandle.standardOutput.write(try JSONEncoder().encode(answer) + Data("\n".utf8))
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }
}

/// The answer to a command. A field that is nil is left out.
struct Answer: Encodable {
    var outcomes: [Outcome]?
    var resources: [[ResourceField]]?
    var load: Load?
    var failure: String?
}

/// The outcome of a call.
struct Outcome: Encodable {
    var code = 0
    var message = ""
    var reply = ""
    var seconds = 0.0
    /// The name and value of each header of the response.
    var headers: [[String]] = []
}
