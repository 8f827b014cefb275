import Foundation
import Swiftlet

/// A flag of the command line with its value. Reading a value of the wrong kind throws an error that
/// names the expected one.
struct FlagValue {
    private let flag: String
    private let word: String?

    /// Reads the value from the words after the flag. A word that begins like a flag is not a value.
    init(of flag: String, in rest: inout ArraySlice<String>) {
        self.flag = flag
        let isThere = rest.first.map { !$0.hasPrefix("--") } ?? false
        word = isThere ? rest.removeFirst() : nil
    }
}

extension FlagValue {
    func target() throws(Complaint) -> String {
        let text = try text()
        do throws(RPCError) {
            _ = try Target(text)
            return text
        } catch {
            throw Complaint("\(flag): \(error.message)")
        }
    }

    /// TLS that trusts the authorities in a file.
    func authority() throws(Complaint) -> ChannelCredentials {
        var options = TLSOptions()
        options.rootCertificates = .file(try text())
        do throws(RPCError) {
            return try .tls(options)
        } catch {
            throw Complaint("\(flag): \(error.message)")
        }
    }

    func choice<Choice>() throws(Complaint) -> Choice
    where Choice: CaseIterable & RawRepresentable<String> {
        let text = try text()
        if let choice = Choice(rawValue: text) { return choice }
        throw refusal(of: text, Choice.allCases.map(\.rawValue).joined(separator: ", "))
    }

    func count(in range: ClosedRange<Int>) throws(Complaint) -> Int {
        let text = try text()
        if let count = Int(text), range.contains(count) { return count }
        throw refusal(
            of: text, "a whole number from \(range.lowerBound) to \(range.upperBound)")
    }

    /// The value, a number of seconds from `least` to 1e9. The upper limit excludes infinity and
    /// values that exceed `Duration`.
    func seconds(from least: Double) throws(Complaint) -> Duration {
        let text = try text()
        if let seconds = Double(text), (least...1e9).contains(seconds) { return .seconds(seconds) }
        throw refusal(of: text, "a number of seconds from \(String(format: "%g", least)) to 1e9")
    }

    func text() throws(Complaint) -> String {
        guard let word else { throw Complaint("\(flag) needs a value") }
        return word
    }

    private func refusal(of text: String, _ wanted: String) -> Complaint {
        Complaint("\(flag) does not take '\(text)', but \(wanted)")
    }
}
