import Foundation
import Swiftlet
import SwiftletBalancing

/// The library's client for `Tests/Balancing/compare.py`. It has the same input and output as `client.py`.
///
/// Each line of standard input is a session: a target, channel arguments and steps on one channel. The
/// answer is a line with the outcomes of each step.
@main
struct BalancingProgram {
    static func main() async {
        ServiceConfigText.register()
        do {
            while let line = readLine() {
                let session = try JSONDecoder().decode(Session.self, from: Data(line.utf8))
                try write(await session.run())
            }
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }

    private static func write(_ outcomes: [[Outcome]]) throws {
        let line = try JSONEncoder().encode(outcomes) + Data("\n".utf8)
        FileHandle.standardOutput.write(line)
    }
}
