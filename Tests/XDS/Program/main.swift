import SwiftletXDS

// Answers a line for each line of standard input, which has a regular expression and a text in hexadecimal:
// `refused REASON`, or whether the whole text matches and the first match with its groups.

func bytes(hex: Substring) -> [UInt8] {
    let digits = hex.utf8.map { $0 < 0x3a ? $0 - 0x30 : $0 - 0x57 }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

func answer(_ expression: RegularExpression, _ text: ContiguousArray<UInt8>) -> String {
    var end = 0
    let match = expression.firstMatch(in: text.span, from: 0, readTo: &end)
    let groups = match?.map { $0.map { "\($0.lowerBound),\($0.upperBound)" } ?? "-" }
    return "\(expression.matches(text.span) ? 1 : 0) \(groups?.joined(separator: ";") ?? "none")"
}

var compiled: (pattern: Substring, result: Result<RegularExpression, RegexError>)?
while let line = readLine() {
    let parts = line.split(separator: " ", omittingEmptySubsequences: false)
    if compiled?.pattern != parts[0] {
        let pattern = String(decoding: bytes(hex: parts[0]), as: UTF8.self)
        let result = Result { () throws(RegexError) in try RegularExpression(pattern) }
        compiled = (parts[0], result)
    }
    switch compiled?.result {
    case .success(let expression)?:
        print(answer(expression, ContiguousArray(bytes(hex: parts[1]))))
    case .failure(let error)?: print("refused", error.message)
    case nil: break
    }
}
