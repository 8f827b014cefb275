import Foundation
import Swiftlet
import SwiftletBalancing
import SwiftletXDS

/// The library's client for `Tests/XDS/compare.py`, in the same terms as `client.py`.
///
/// Each line of standard input is a command, and each has an answer of one line.
@main
struct XDSProgram {
    static func main() async {
        XDS.enable()
        ServiceConfigText.register()
        let client = MeshCaller()
        while let line = readLine() {
            var answer: Answer
            do {
                let command = try JSONDecoder().decode(Command.self, from: Data(line.utf8))
                answer = try await client.carryOut(command)
            } catch {
                answer = Answer()
                answer.failure = "\(error)"
            }
            do {
                let text = try JSONEncoder().encode(answer) + Data("\n".utf8)
                FileHandle.standardOutput.write(text)
            } catch {
                FileHandle.standardError.write(Data("\(error)\n".utf8))
                exit(1)
            }
        }
    }
}

struct Command: Decodable {
    /// The value of a channel argument.
    enum Argument: Decodable {
        case integer(Int)
        case text(String)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let value = try? container.decode(Int.self) {
                self = .integer(value)
            } else {
                self = .text(try container.decode(String.self))
            }
        }

        var value: ChannelArguments.Value {
            switch self {
            case .integer(let value): .integer(value)
            case .text(let value): .string(value)
            }
        }
    }

    var `do`: String
    var channel: String?
    var target: String?
    var credentials: String?
    var arguments: [String: Argument]?
    var id: String?
    var path: String?
    var body: String?
    var timeout: Double?
    var wait: Bool?
    var metadata: [[String]]?
    var count: Int?
    var together: Bool?
}

struct Answer: Encodable {
    var outcomes: [Outcome]?
    var resources: [[ResourceField]]?
    var failure: String?
}

/// A part of what is known of a resource.
enum ResourceField: Encodable {
    case integer(Int)
    case text(String)

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .integer(let value): try container.encode(value)
        case .text(let value): try container.encode(value)
        }
    }
}

struct Outcome: Encodable {
    var code = 0
    var message = ""
    var seconds = 0.0
    var headers: [[String]] = []
    var reply = ""
}
